/// Which connection, of all that this server has ever had.
package struct ConnectionID: Hashable, Comparable, Sendable {
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    package static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.value < right.value }
}

/// A session's id holds that of its connection, so that each connection makes its own, and a line finds its way.
extension SessionID {
    private static let bits: Int64 = 28
    /// Sessions of one connection: at a thousand a second it makes new ones for three days.
    static let most = 1 << bits

    package init(_ connection: ConnectionID, number: Int) {
        self.init(connection.value << SessionID.bits | Int64(number))
    }

    /// In this name a connection asks about documents that it does not have open.
    package static func guest(of connection: ConnectionID) -> SessionID { SessionID(connection, number: 0) }

    package var connection: ConnectionID { ConnectionID(value >> SessionID.bits) }
}
