/// Why the decoder refused a line.
package struct WireFault: Error, Equatable, Sendable {
    package let code: ErrorCode
    /// A text for people: what is wrong, at which byte, and the actual and the allowed number. Repeats at
    /// most `Limits.echo` characters of a value in the line.
    package let message: String
    /// Where the fault is in the line, in bytes.
    package let byte: Int
    /// The fields `id`, `document` and `seq` identify the refused message to its sender. A field that could
    /// not be read is nil. All three are nil if the line is not JSON.
    package var id: RequestID?
    package var document: WireString?
    package var seq: PushNumber?
    /// The kind of the message, if not every client may send it. Nil for all other messages.
    package var topic: Topic?

    package enum Topic: Sendable {
        case hello
        case administration
    }

    package init(
        _ code: ErrorCode, _ message: String, byte: Int, id: RequestID? = nil, document: WireString? = nil,
        seq: PushNumber? = nil
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

/// What is wrong with one field. The field's path is built from the inside out.
struct FieldFault: Error {
    var code = ErrorCode.badMessage
    /// The path of the field, such as `edits[3].range`.
    var field: String
    /// The rest of a sentence that begins with the field's path.
    let problem: String
    let byte: Int

    /// The same fault, with the name `outer` of the enclosing object or array added to the field's path.
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
    static func wrong(_ value: JSONValue, expected: String) -> FieldFault {
        let problem = "is \(value.shown); expected \(expected)"
        return FieldFault(field: "", problem: problem, byte: value.start)
    }

    /// A value has too many elements, bytes or levels.
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

/// The beginning of `bytes`: at most as many characters as an error message may repeat.
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
