import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One of the servers that use the same store.
public struct ServerNode: Equatable, Sendable {
    public let name: String
    /// Where clients reach the server. Nil if it listens only on its admin socket.
    public let address: String?
    public let version: String
    /// When the server started.
    public let since: Date
    /// How long ago the answering server last heard of this one.
    public let silence: Duration
    public let connections: Int
    /// The number of documents that are open.
    public let documents: Int
    /// Whether this server is the one that answered.
    public let isAnswering: Bool

    init(_ summary: ServerSummary) {
        name = summary.name.string
        address = summary.address?.string
        version = summary.version.string
        since = Date(milliseconds: summary.since)
        silence = .milliseconds(summary.silent)
        connections = summary.connections
        documents = summary.documents
        isAnswering = summary.isAnswering
    }
}
