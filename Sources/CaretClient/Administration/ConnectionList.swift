import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A page of the connections of a server, sorted by number.
public struct ConnectionList: Sendable {
    public let connections: [Entry]
    /// Whether more connections follow the last one of this page.
    public let hasMore: Bool

    public struct Entry: Sendable {
        /// The number of the connection, as in the server's log.
        public let number: Int
        public let user: String
        /// The public id of the client.
        public let client: String
        /// The client's address and port, or `unix` for a Unix socket. Nil if the address is not known.
        public let peer: String?
        /// When the client connected.
        public let since: Date
        /// The names of the documents that the connection has open.
        public let documents: [String]
        /// The names of documents whose changes the client reads so slowly that the server no longer has them
        /// in memory. The server reads these changes from disk.
        public let behind: [String]

        init(_ summary: ConnectionSummary) {
            number = summary.number
            user = summary.user.string
            client = summary.client.string
            peer = summary.peer?.string
            since = Date(milliseconds: summary.since)
            documents = summary.documents.map(\.string)
            behind = summary.behind.map(\.string)
        }
    }

    init(_ answer: ConnectionPage) {
        connections = answer.connections.map { Entry($0) }
        hasMore = answer.hasMore
    }
}
