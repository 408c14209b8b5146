package import CaretWire

/// What an open document wants.
package enum DocumentAction: Equatable, Sendable {
    case send(ClientMessage, id: RequestID?)
    case tell(DocumentUpdate)
}

/// Names a document that a client has open, whatever it is called.
package struct DocumentKey: Hashable, Comparable, Sendable {
    package let value: Int

    package init(value: Int) { self.value = value }

    package static func < (left: DocumentKey, right: DocumentKey) -> Bool { left.value < right.value }
}

/// The ids of a client's requests, none twice.
package struct RequestIDs: Sendable {
    private var last = 0

    package init() {}

    func gaveOut(_ number: AskNumber) -> Bool { number.value > 0 && number.value <= last }

    mutating func next() -> RequestID { .number(nextNumber().value) }

    mutating func nextNumber() -> AskNumber {
        last += 1
        return AskNumber(value: last)
    }
}
