/// Identifies a connection. Unique for the life of the server.
package struct ConnectionID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.value < right.value }
}

/// A session's id contains its connection's id, so that each connection can make session ids and lines find
/// their connection.
extension SessionID {
    private static let bits: Int64 = 28
    /// The most sessions of one connection. At a thousand a second that lasts for three days.
    static let most = 1 << bits

    package init(_ connection: ConnectionID, number: Int) {
        self.init(connection.value << SessionID.bits | Int64(number))
    }

    /// The guest session: a connection uses it for documents that it does not have open.
    package static func guest(of connection: ConnectionID) -> SessionID { SessionID(connection, number: 0) }

    package var connection: ConnectionID { ConnectionID(value >> SessionID.bits) }
}
