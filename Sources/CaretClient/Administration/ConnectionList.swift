import CaretWire
public import FoundationEssentials

/// A page of the connections of a server, by their numbers.
public struct ConnectionList: Sendable {
    public let connections: [Entry]
    /// There are more behind the last one.
    public let hasMore: Bool

    public struct Entry: Sendable {
        /// As the server's log has it.
        public let number: Int
        public let user: String
        /// The public id of the client.
        public let client: String
        /// An address with its port, or `unix`; nil where that is not known.
        public let peer: String?
        /// When it joined.
        public let since: Date
        /// The names of the documents that it has open.
        public let documents: [String]
        /// Those of them whose changes it takes so slowly that they are read from disk for it.
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

    init(_ answer: Present) {
        connections = answer.connections.map { Entry($0) }
        hasMore = answer.hasMore
    }
}
