/// Why a line is refused.
package struct WireFault: Error, Equatable, Sendable {
    package let code: ErrorCode
    /// For people: what is wrong, where, and both numbers. Repeats at most `Limits.echo` characters of the
    /// line.
    package let message: String
    /// The offset in the line, in bytes.
    package let byte: Int
    /// The fields that identify the refused message to its sender, as far as they could be read. All are nil
    /// if the line is not JSON.
    package var id: RequestID?
    package var document: WireString?
    package var seq: Int?
    /// The kind of message, for kinds that not every client may send. Nil for all others.
    package var topic: Topic?

    package enum Topic: Sendable {
        case hello
        case administration
    }

    package init(
        _ code: ErrorCode, _ message: String, byte: Int, id: RequestID? = nil, document: WireString? = nil,
        seq: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.byte = byte
        self.id = id
        self.document = document
        self.seq = seq
    }

    /// A line is longer than allowed.
    package static func lineTooLong(bytes: Int, limit: Int) -> WireFault {
        let message = "a line has at least \(bytes) bytes; at most \(limit) are allowed"
        return WireFault(.lineTooLong, message, byte: limit)
    }

    init(_ fault: JSONFault) { self.init(.badJSON, fault.description, byte: fault.byte) }

    /// The error that answers the line.
    package var report: ErrorReport { ErrorReport(code, message, document: document, seq: seq) }
}

/// What is wrong with one field. Built from the inside out.
struct FieldFault: Error {
    var code = ErrorCode.badMessage
    /// Such as `edits[3].range`.
    var field: String
    /// The rest of the sentence that begins with the field's name.
    let problem: String
    let byte: Int

    /// The same fault, with the field named as seen from the enclosing object or array.
    func inside(_ outer: String) -> FieldFault {
        var fault = self
        if fault.field.isEmpty {
            fault.field = outer
        } else {
            fault.field = fault.field.utf8.first == UInt8(ascii: "[") ? outer + field : "\(outer).\(field)"
        }
        return fault
    }

    static func missing(_ field: StaticString, at byte: Int) -> FieldFault {
        FieldFault(field: "\(field)", problem: "is missing", byte: byte)
    }

    /// A value has the wrong kind.
    static func wrong(_ value: JSONValue, wanted: String) -> FieldFault {
        let problem = "is \(value.shown); expected \(wanted)"
        return FieldFault(field: "", problem: problem, byte: value.start)
    }

    /// Something has too many elements.
    static func tooMany(
        _ count: Int, _ what: String, limit: Int, in value: JSONValue, code: ErrorCode = .badMessage
    ) -> FieldFault {
        let problem = "has \(count) \(what); at most \(limit) are allowed"
        return FieldFault(code: code, field: "", problem: problem, byte: value.start)
    }
}

extension JSONValue {
    /// A short description of the value for people.
    fileprivate var shown: String {
        switch kind {
        case .object: "an object"
        case .array: "an array"
        case .bool: bool == true ? "true" : "false"
        case .null: "null"
        case .number: excerpt(of: UnsafeBufferPointer(rebasing: line[start..<end]))
        case .string: "\"\(excerpt(of: string.raw))\""
        }
    }
}

/// The beginning of UTF-8 bytes, as much of it as a message may repeat.
func excerpt(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    // Counts scalars, because a grapheme may be as long as the line.
    var end = 0
    var scalars = 0
    while end < bytes.count {
        if bytes[end] & 0xC0 != 0x80 {
            if scalars == Limits.echo { break }
            scalars += 1
        }
        end += 1
    }
    let start = String(decoding: UnsafeBufferPointer(rebasing: bytes[..<end]), as: UTF8.self)
    return end < bytes.count ? start + "…" : start
}
