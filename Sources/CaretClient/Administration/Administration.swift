public import CaretCore
import CaretWire

// What may be asked of the server as a whole, by whoever may administer all documents.
extension CaretClient {
    /// Everything that the server counts, and how long it takes to do what.
    public func counters() async throws -> ServerCounters {
        guard case .counted(let counted) = try await administer(.counters(ReadCounters())) else {
            throw unexpected
        }
        return ServerCounters(counted)
    }

    /// The connections that are there, by their numbers, up to 1,000 at once.
    public func connections(after number: Int? = nil, limit: Int = 100) async throws -> ConnectionList {
        guard case .present(let present) = try await administer(.who(Who(after: number, limit: limit)))
        else { throw unexpected }
        return ConnectionList(present)
    }

    /// The documents that were deleted and may still be brought back, by their numbers, up to 1,000 at once.
    public func deletedDocuments(
        prefix: String = "", after number: Int? = nil, limit: Int = 100
    ) async throws -> DeletedDocumentList {
        let prefix = prefix.isEmpty ? nil : WireString(prefix)
        let request = ListDeleted(prefix: prefix, after: number, limit: limit)
        guard case .deleted(let deleted) = try await administer(.listDeleted(request)) else {
            throw unexpected
        }
        return DeletedDocumentList(deleted)
    }

    /// Brings a deleted document back under its name. Several may have had one name, so that it is said by its number.
    public func undelete(_ number: Int) async throws {
        guard case .done = try await ask(.admin(.undelete(Undelete(number: number)))) else {
            throw unexpected
        }
    }

    /// Forgets what a document was before a revision, for good, or only says what that would forget.
    @discardableResult
    public func trim(
        _ name: String, before revision: Revision, isDryRun: Bool = false
    ) async throws -> TrimmedHistory {
        let request = Trim(document: WireString(name), revision: revision, isDryRun: isDryRun)
        guard case .trimmed(let trimmed) = try await administer(.trim(request)) else { throw unexpected }
        return TrimmedHistory(trimmed)
    }

    /// Has everything that is kept read from end to end, or everything of one document. `progress` is told now and then
    /// how many documents of how many are done, on any thread.
    public func verify(
        _ name: String? = nil, progress: @escaping @Sendable (RequestProgress) -> Void = { _ in }
    ) async throws -> StoreVerification {
        let request = Verify(document: name.map { WireString($0) })
        guard case .verified(let verified) = try await administer(.verify(request), progress) else {
            throw unexpected
        }
        return StoreVerification(verified)
    }

    /// Has everything that is kept copied into a file beside it. `progress` is told pages, as `verify` tells documents.
    public func backUp(
        progress: @escaping @Sendable (RequestProgress) -> Void = { _ in }
    ) async throws -> StoreBackup {
        guard case .backedUp(let made) = try await administer(.backUp(BackUp()), progress) else {
            throw unexpected
        }
        return StoreBackup(made)
    }

    private func administer(
        _ request: AdminRequest, _ progress: (@Sendable (RequestProgress) -> Void)? = nil
    ) async throws -> AdminAnswer {
        guard case .admin(let answer) = try await shell.ask(.admin(request), progress: progress) else {
            throw unexpected
        }
        return answer
    }
}
