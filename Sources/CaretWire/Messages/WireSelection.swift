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

extension JSONWriter {
    mutating func member(_ name: StaticString, _ selections: [WireSelection]) {
        member(name, selections) { $0.pair($1.anchor, $1.head) }
    }
}
