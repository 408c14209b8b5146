/// Identifies a connection. Unique for the life of the server.
package struct ConnectionID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.value < right.value }
}
