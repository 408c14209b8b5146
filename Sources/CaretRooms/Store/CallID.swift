/// Identifies a call of a room or the hub. The answer has the same id. Each caller numbers its own calls.
package struct CallID: Hashable, Comparable, Sendable {
    package let value: Int

    package init(_ value: Int) { self.value = value }

    package static func < (left: CallID, right: CallID) -> Bool { left.value < right.value }
}
