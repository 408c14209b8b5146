/// Why a line is refused: what its error says.
package struct WireFault: Error, Equatable, Sendable {
    package let code: ErrorCode
    /// For a person: what, where, and both numbers. It repeats at most `Limits.echo` characters of the line.
    package let message: String
    /// At which byte of the line.
    package let byte: Int
    /// What could be read of the message, so that its sender knows which one it was. A line that is not JSON has none.
    package var id: RequestID?
    package var document: WireString?
    package var seq: Int?
    /// What the message is about, where some clients may not say anything of that; nil where it is something else, or
    /// cannot be read.
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

    /// What a framer says of a line over its limit.
    package static func lineTooLong(bytes: Int, limit: Int) -> WireFault {
        let message = "a line has at least \(bytes) bytes, where at most \(limit) are allowed"
        return WireFault(.lineTooLong, message, byte: limit)
    }

    init(_ fault: JSONFault) { self.init(.badJSON, fault.description, byte: fault.byte) }

    /// The error that answers the line, with its id.
    package var report: ErrorReport { ErrorReport(code, message, document: document, seq: seq) }
}

/// What is wrong with one field, told from the inside out.
struct FieldFault: Error {
    var code = ErrorCode.badMessage
    /// As in `edits[3].range`.
    var field: String
    /// What follows its name.
    let problem: String
    let byte: Int

    /// The same, seen from the object or array that holds the field.
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

    /// A value is not what is wanted.
    static func wrong(_ value: JSONValue, wanted: String) -> FieldFault {
        let problem = "is \(value.shown), where \(wanted) is wanted"
        return FieldFault(field: "", problem: problem, byte: value.start)
    }

    /// There is more of something than may be.
    static func tooMany(
        _ count: Int, _ what: String, limit: Int, in value: JSONValue, code: ErrorCode = .badMessage
    ) -> FieldFault {
        let problem = "has \(count) \(what), where at most \(limit) are allowed"
        return FieldFault(code: code, field: "", problem: problem, byte: value.start)
    }
}

extension JSONValue {
    /// What it is, for a person: the beginning of what stands in the line.
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

/// The first characters of bytes that are UTF-8, as many as a message may repeat.
func excerpt(of bytes: UnsafeBufferPointer<UInt8>) -> String {
    // A character here is a scalar, since a grapheme may be as long as the line.
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
