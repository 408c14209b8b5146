/// A range of a text, in the agreed unit. The range has not been compared with the text yet.
package struct WireRange: Hashable, Sendable {
    package let start: Int
    package let end: Int

    package init(_ start: Int, _ end: Int) {
        self.start = start
        self.end = end
    }

    init(_ value: JSONValue) throws(FieldFault) {
        (start, end) = try value.pair()
        if end < start {
            let problem = "ends at \(end), before its start \(start)"
            throw FieldFault(field: "", problem: problem, byte: value.start)
        }
    }
}

/// An edit as sent on the wire: it replaces the old text of the range. The edit has not been compared with
/// the text yet.
package struct WireEdit: Hashable, Sendable {
    package let range: WireRange
    package let text: WireString

    package init(_ range: WireRange, _ text: WireString) {
        self.range = range
        self.text = text
    }

    init(_ value: JSONValue) throws(FieldFault) {
        guard value.kind == .object else { throw .wrong(value, expected: "an object") }
        var found: (range: JSONValue?, text: JSONValue?)
        value.forEachMember { key, value in
            if key.equals("range") { found.range = value }
            if key.equals("text") { found.text = value }
        }
        guard let rangeValue = found.range else { throw .missing("range", at: value.start) }
        guard let textValue = found.text else { throw .missing("text", at: value.start) }
        do throws(FieldFault) {
            range = try WireRange(rangeValue)
        } catch {
            throw error.inside("range")
        }
        guard textValue.kind == .string else {
            throw FieldFault.wrong(textValue, expected: "a string").inside("text")
        }
        text = textValue.string.decoded
    }
}

extension WireEdit {
    /// An upper bound on the encoded size of an edit in a list, without its text. No offset may be greater
    /// than `farthest`.
    package static func mostBytes(ofOffsets farthest: Int) -> Int {
        // The edit takes {"range":[,],"text":""}, a comma and two numbers.
        var (rest, digits) = (farthest, 1)
        while rest > 9 {
            rest /= 10
            digits += 1
        }
        return 24 + 2 * digits
    }
}

/// A selection as sent on the wire, in the agreed unit. The head is the end that moves when the selection is
/// extended.
package struct WireSelection: Hashable, Sendable {
    package let anchor: Int
    package let head: Int

    package init(_ anchor: Int, _ head: Int) {
        self.anchor = anchor
        self.head = head
    }

    init(_ value: JSONValue) throws(FieldFault) { (anchor, head) = try value.pair() }
}
