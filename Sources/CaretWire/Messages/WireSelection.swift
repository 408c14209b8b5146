/// A selection as it is sent, counted in the unit that `hello` agreed on: from the anchor to the head, which moves.
package struct WireSelection: Hashable, Sendable {
    package let anchor: Int
    package let head: Int

    package init(_ anchor: Int, _ head: Int) {
        self.anchor = anchor
        self.head = head
    }

    init(_ value: JSONValue) throws(FieldFault) { (anchor, head) = try value.pair() }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ selections: [WireSelection]) {
        member(name, selections) { $0.pair($1.anchor, $1.head) }
    }
}
