/// A moment, counted in writes of the store: how many writes had ended by then.
package struct StoreTime: Comparable, Sendable {
    package let writes: UInt64

    package init(_ writes: UInt64) { self.writes = writes }

    package static func < (left: StoreTime, right: StoreTime) -> Bool { left.writes < right.writes }
}
