package import CaretClient
import CaretCore
package import CaretWire

/// The requests of a sync to a server. Tests use a server in memory.
///
/// Requests begin on the actor of the sync, so a server in memory gets them in their order.
package protocol SyncServer: Sendable {
    /// Whether requests reach the server now, or wait for the next connection.
    var isConnected: Bool { get }

    nonisolated(nonsending)
        func read(_ document: WireString) async throws -> (head: SyncRecord.Head, usesCRLF: Bool)
    /// The text of a document at an earlier revision.
    nonisolated(nonsending)
        func read(_ document: WireString, at revision: Int) async throws -> SyncRecord.Head
    nonisolated(nonsending) func push(
        _ push: SyncRecord.Push, to document: WireString, usesCRLF: Bool, isExact: Bool
    ) async throws -> SyncAck
    nonisolated(nonsending) func rename(_ document: WireString, to new: WireString) async throws
    nonisolated(nonsending) func delete(_ document: WireString) async throws
    /// The users who have made the newest changes of a document, except this client. The names are only shown to people,
    /// so they may be missing.
    nonisolated(nonsending)
        func authors(of document: WireString, after: Int, through: Int) async -> [String]
    /// A push number that is higher than all numbers that this client has used.
    func nextPushNumber() -> Int
}

/// The answer to a push.
package struct SyncAck: Equatable, Sendable {
    var revision: Int
    /// The document already contained the text, so there is no new revision.
    var isUnchanged: Bool
    /// The text at the revision.
    var text: String?
    /// The epoch of the document, if the push named none.
    var epoch: String?

    package init(revision: Int, isUnchanged: Bool, text: String? = nil, epoch: String? = nil) {
        self.revision = revision
        self.isUnchanged = isUnchanged
        self.text = text
        self.epoch = epoch
    }
}

/// A server reached through a client.
package struct ConnectedServer: SyncServer {
    let client: LiveClient
    /// The public id of the client.
    let publicClient: String?

    package init(client: LiveClient, publicClient: String?) {
        self.client = client
        self.publicClient = publicClient
    }

    package var isConnected: Bool { client.connectionState == .connected }

    nonisolated(nonsending) package func read(_ document: WireString) async throws -> (
        head: SyncRecord.Head, usesCRLF: Bool
    ) {
        let version = try await client.read(document.string)
        let head = SyncRecord.Head(
            epoch: version.epoch, revision: version.revision.value, text: version.text)
        return (head, version.usesCRLF)
    }

    nonisolated(nonsending) package func read(_ document: WireString, at revision: Int) async throws
        -> SyncRecord.Head
    {
        let version = try await client.read(document.string, at: .revision(Revision(revision)))
        return SyncRecord.Head(
            epoch: version.epoch, revision: version.revision.value, text: version.text)
    }

    nonisolated(nonsending) package func push(
        _ push: SyncRecord.Push, to document: WireString, usesCRLF: Bool, isExact: Bool
    ) async throws -> SyncAck {
        let bytes = push.text.fileBytes(usesCRLF: usesCRLF)
        let message = CaretWire.Push(
            document: document, epoch: push.epoch.map { WireString($0) }, base: Revision(push.base),
            seq: push.seq, content: .text(WireString(String(decoding: bytes, as: UTF8.self))),
            wantsText: true, create: push.epoch == nil, exact: isExact)
        let answer = try await client.request(.push(message))
        guard case .ack(let ack) = answer else {
            throw ConnectionFault.lost(
                client.address, reason: "the server's answer does not fit the request")
        }
        return SyncAck(
            revision: ack.revision.value, isUnchanged: ack.unchanged, text: ack.text?.string,
            epoch: ack.epoch?.string)
    }

    nonisolated(nonsending) package func rename(_ document: WireString, to new: WireString) async throws {
        try await client.rename(document.string, to: new.string)
    }

    nonisolated(nonsending) package func delete(_ document: WireString) async throws {
        try await client.delete(document.string)
    }

    nonisolated(nonsending) package func authors(of document: WireString, after: Int, through: Int) async
        -> [String]
    {
        let window = HistoryWindow(
            after: Revision(max(after, through - ConnectedServer.namedRevisions)), through: Revision(through))
        // The names are only shown to people, so a failure to read them is ignored.
        let entries = (try? await client.history(of: document.string, in: window)) ?? []
        return Set(entries.filter { $0.client != publicClient }.map(\.user)).sorted()
    }

    /// More names do not fit into a line anyway, and a first sync asks for each file.
    private static let namedRevisions = 20

    package func nextPushNumber() -> Int { client.nextPushNumber() }
}
