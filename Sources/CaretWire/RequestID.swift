/// The `id` that a client gives a request. The answer has the same `id`.
package enum RequestID: Equatable, Hashable, Sendable {
    case number(Int)
    case text(WireString)

    /// An integer, or a string of at most `Limits.id` bytes.
    init(_ value: JSONValue) throws(FieldFault) {
        if value.kind == .string {
            self = .text(try value.string(atMost: Limits.id, orElse: .badMessage))
        } else if let integer = value.integer {
            self = .number(integer)
        } else {
            throw .wrong(value, expected: "a string or an integer")
        }
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ id: RequestID?) {
        switch id {
        case nil: break
        case .number(let number): member(name, number)
        case .text(let text): member(name, text)
        }
    }
}

/// A message together with the `id` that links a request and its answer.
package struct Envelope<Message: Equatable & Sendable>: Equatable, Sendable {
    package var message: Message
    package var id: RequestID?

    package init(_ message: Message, id: RequestID? = nil) {
        self.message = message
        self.id = id
    }
}
