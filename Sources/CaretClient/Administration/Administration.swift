public import CaretCore
import CaretWire

// Requests about the whole server. They need administration rights for all documents.
extension LiveClient {
    /// Reads the counters and latencies of the server.
    public func counters() async throws -> ServerCounters {
        guard case .counted(let counted) = try await administer(.counters(ReadCounters())) else {
            throw unexpectedAnswer
        }
        return ServerCounters(counted)
    }

    /// Lists the connections of the server, sorted by number. A page has at most 1,000 connections.
    public func connections(after number: Int? = nil, limit: Int = 100) async throws -> ConnectionList {
        guard case .present(let present) = try await administer(.who(Who(after: number, limit: limit)))
        else { throw unexpectedAnswer }
        return ConnectionList(present)
    }

    /// Lists the servers that use the same store, sorted by name. If only one server can use the store, the list has
    /// this server.
    public func nodes() async throws -> [ServerNode] {
        guard case .nodes(let list) = try await administer(.listNodes(ListNodes())) else {
            throw unexpectedAnswer
        }
        return list.servers.map { ServerNode($0) }
    }

    /// Deletes the history of a document before a revision, forever. A dry run only returns what would be
    /// deleted.
    @discardableResult
    public func trim(
        _ name: String, before revision: Revision, isDryRun: Bool = false
    ) async throws -> TrimmedHistory {
        let request = Trim(document: WireString(name), revision: revision, isDryRun: isDryRun)
        guard case .trimmed(let trimmed) = try await administer(.trim(request)) else {
            throw unexpectedAnswer
        }
        return TrimmedHistory(trimmed)
    }

    /// Removes a passage from every revision of a document, forever. Each character of the passage becomes an
    /// asterisk, or another character that the passage does not contain. All clients load the document again,
    /// and keep their unsaved edits. A dry run only returns what would change.
    @discardableResult
    public func redact(
        _ passage: String, from name: String, isDryRun: Bool = false
    ) async throws -> RedactedPassage {
        let request = Redact(
            document: WireString(name), passage: WireString(passage), isDryRun: isDryRun)
        guard case .redacted(let redacted) = try await administer(.redact(request)) else {
            throw unexpectedAnswer
        }
        return RedactedPassage(redacted)
    }

    /// Makes the server read and check its whole store, or only one document. `progress` is called from time
    /// to time, on any thread, with the number of documents checked so far.
    public func verify(
        _ name: String? = nil, progress: @escaping @Sendable (RequestProgress) -> Void = { _ in }
    ) async throws -> StoreVerification {
        let request = Verify(document: name.map { WireString($0) })
        guard case .verified(let verified) = try await administer(.verify(request), progress) else {
            throw unexpectedAnswer
        }
        return StoreVerification(verified)
    }

    /// Makes the server copy its store into a backup file. `progress` is called from time to time, on any
    /// thread, with the number of pages copied so far.
    public func backUp(
        progress: @escaping @Sendable (RequestProgress) -> Void = { _ in }
    ) async throws -> StoreBackup {
        guard case .backedUp(let made) = try await administer(.backUp(BackUp()), progress) else {
            throw unexpectedAnswer
        }
        return StoreBackup(made)
    }

    func administer(
        _ request: AdminRequest, _ progress: (@Sendable (RequestProgress) -> Void)? = nil
    ) async throws -> AdminAnswer {
        guard case .admin(let answer) = try await shell.request(.admin(request), progress: progress) else {
            throw unexpectedAnswer
        }
        return answer
    }
}
