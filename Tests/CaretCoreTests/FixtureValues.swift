import CaretCore

/// A case lacks a field that its kind needs.
struct Incomplete: Error {
    let missing: String

    /// Returns the value, or throws if it is nil.
    static func given<Value>(_ value: Value?, _ missing: String) throws -> Value {
        guard let value else { throw Incomplete(missing: missing) }
        return value
    }
}

/// The fields of a case as values of CaretCore.
extension FixtureCase {
    func text(_ field: KeyPath<FixtureCase, String?>) throws -> TextBuffer {
        try TextBuffer(Incomplete.given(self[keyPath: field], "a text"))
    }

    func change(_ field: KeyPath<FixtureCase, [FixtureEdit]?>) throws -> Change {
        try Change(reading: Incomplete.given(self[keyPath: field], "a change"))
    }

    func expectedChange() throws -> Change {
        guard case .change(let edits) = becomes else { throw Incomplete(missing: "an expected change") }
        return try Change(reading: edits)
    }

    func difference() throws -> Change { diff(from: try text(\.old), to: try text(\.new)) }

    func readTie() throws -> Tie {
        switch tie {
        case "otherFirst": .otherFirst
        case "selfFirst": .selfFirst
        default: throw Incomplete(missing: "a tie")
        }
    }

    func readSelection() throws -> Selection {
        guard let selection, selection.count == 2 else { throw Incomplete(missing: "a selection") }
        return Selection(anchor: Offset(selection[0]), head: Offset(selection[1]))
    }

    func textOfBytes() throws -> TextBuffer {
        let digits = Array(try Incomplete.given(self.bytes, "bytes").utf8)
        let bytes = try stride(from: 0, to: digits.count, by: 2).map { index in
            let pair = String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self)
            return try Incomplete.given(UInt8(pair, radix: 16), "a byte")
        }
        return try bytes.withUnsafeBufferPointer { try TextBuffer(validating: $0) }
    }

    func convertedOffset() throws -> Int {
        let (text, offset) = (try text(\.text), try Incomplete.given(offset, "an offset"))
        return switch from {
        case "utf-8": try converted(UTF8Offset(offset), in: text)
        case "utf-16": try converted(Offset(offset), in: text)
        case "utf-32": try converted(ScalarOffset(offset), in: text)
        default: throw Incomplete(missing: "a unit")
        }
    }

    private func converted<Unit>(_ offset: UnitOffset<Unit>, in text: TextBuffer) throws -> Int {
        switch to {
        case "utf-8": try text.convert(offset, to: UTF8Unit.self).value
        case "utf-16": try text.convert(offset, to: UTF16Unit.self).value
        case "utf-32": try text.convert(offset, to: ScalarUnit.self).value
        default: throw Incomplete(missing: "a unit")
        }
    }
}

extension Change {
    fileprivate init(reading edits: [FixtureEdit]) throws {
        var made: [Edit] = []
        for (index, edit) in edits.enumerated() {
            guard edit.range.count == 2, edit.range[0] <= edit.range[1] else {
                throw Incomplete(missing: "a range")
            }
            do throws(TextError) {
                made.append(try Edit(Offset(edit.range[0])..<Offset(edit.range[1]), edit.text))
            } catch {
                throw FixtureRefusal(error, edit: index)
            }
        }
        try self.init(made)
    }
}
