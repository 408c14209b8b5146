/// Identifies a session. The id is unique until the server restarts.
///
/// The lower 28 bits are the number of the session within its connection, and the bits above them are the
/// connection's id. So each connection can make ids on its own, and a room can tell from the id where to send
/// a line.
package struct SessionID: Hashable, Comparable, Sendable {
    package let value: Int64

    private static let bits: Int64 = 28
    /// The limit of sessions of one connection. At a thousand new sessions a second, it is reached after
    /// three days.
    static let most = 1 << bits

    package init(_ value: Int64) { self.value = value }

    package init(_ connection: ConnectionID, number: Int) {
        self.init(connection.value << SessionID.bits | Int64(number))
    }

    /// The id that a connection uses without a session: for documents that it does not have open. No session
    /// has number 0.
    package static func sessionless(_ connection: ConnectionID) -> SessionID {
        SessionID(connection, number: 0)
    }

    package var connection: ConnectionID { ConnectionID(value >> SessionID.bits) }

    package static func < (left: SessionID, right: SessionID) -> Bool { left.value < right.value }
}
