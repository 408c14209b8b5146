package import CaretWire

/// What the client must do for an open document.
package enum DocumentAction: Equatable, Sendable {
    case send(ClientMessage, id: RequestID?)
    case notify(DocumentUpdate)
}

/// Identifies an open document of a client. The key stays the same when the document is renamed.
package struct DocumentKey: Hashable, Comparable, Sendable {
    package let value: Int

    package init(value: Int) { self.value = value }

    package static func < (left: DocumentKey, right: DocumentKey) -> Bool { left.value < right.value }
}

/// Issues the ids of a client's requests, each only once.
package struct RequestIDs: Sendable {
    private var last = 0

    package init() {}

    func hasIssued(_ number: RequestNumber) -> Bool { number.value > 0 && number.value <= last }

    mutating func next() -> RequestID { .number(nextNumber().value) }

    mutating func nextNumber() -> RequestNumber {
        last += 1
        return RequestNumber(value: last)
    }
}
