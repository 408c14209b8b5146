public import CaretCore
import CaretWire

// Requests about documents. The client need not have the documents open.
extension LiveClient {
    /// Reads the current text of a document, or an earlier text from its history.
    public func read(_ name: String, at point: HistoryPoint? = nil) async throws -> DocumentVersion {
        let answer = try await request(
            .read(Read(document: WireString(name), moment: point?.moment ?? .unspecified)))
        guard case .text(let text) = answer else { throw unexpectedAnswer }
        return DocumentVersion(text)
    }

    /// Lists documents that this client may read, sorted by name. A page has at most 1,000 documents.
    public func list(
        prefix: String = "", after: String? = nil, limit: Int = 100
    ) async throws -> DocumentList {
        let prefix = prefix.isEmpty ? nil : WireString(prefix)
        let answer = try await request(
            .list(List(prefix: prefix, after: after.map { WireString($0) }, limit: limit)))
        guard case .listed(let listed) = answer else { throw unexpectedAnswer }
        return DocumentList(listed)
    }

    /// Lists the revisions of a document after a point of its history. A page has at most 1,000 revisions.
    public func history(
        of name: String, after point: HistoryPoint? = nil, limit: Int = 100, withChanges: Bool = false
    ) async throws -> DocumentHistory {
        let answer = try await request(
            .history(
                History(
                    document: WireString(name), after: point?.moment ?? .unspecified, limit: limit,
                    wantsEdits: withChanges)))
        guard case .revisions(let revisions) = answer else { throw unexpectedAnswer }
        return try DocumentHistory(revisions)
    }

    /// Says who changed each line of a document's text last, at a revision or now. The page has the lines after the line
    /// with the number `line`, and at most 1,000 ranges. A server of version 0.2 or older refuses this as an
    /// unknown message.
    public func blame(
        _ name: String, at revision: Revision? = nil, afterLine line: Int = 0, limit: Int = 100
    ) async throws -> DocumentBlame {
        let answer = try await request(
            .blame(
                BlameRequest(document: WireString(name), revision: revision, after: line, limit: limit)))
        guard case .blamed(let blamed) = answer else { throw unexpectedAnswer }
        return DocumentBlame(blamed)
    }

    /// Renames a document.
    public func rename(_ name: String, to newName: String) async throws {
        try await send(.rename(Rename(document: WireString(name), to: WireString(newName))))
    }

    /// Copies a document under a new name, with its named revisions. The copy has a history of its own, with one revision
    /// for each text that has a name, and then the newest text.
    public func copy(_ name: String, to newName: String) async throws {
        try await send(
            .tags(.copy(CopyDocument(document: WireString(name), to: WireString(newName)))))
    }

    /// Deletes a document. For some time, by default 30 days, `undelete` can bring it back.
    public func delete(_ name: String) async throws {
        try await send(.delete(Delete(document: WireString(name))))
    }

    /// Lists the deleted documents that this client may write and that can still be brought back, sorted by number. A page
    /// has at most 1,000 documents. A server of version 0.2 or older answers only administrators.
    public func deletedDocuments(
        prefix: String = "", after number: Int? = nil, limit: Int = 100
    ) async throws -> DeletedDocumentList {
        let prefix = prefix.isEmpty ? nil : WireString(prefix)
        let answer = try await request(
            .listDeleted(ListDeleted(prefix: prefix, after: number, limit: limit)))
        guard case .deleted(let deleted) = answer else { throw unexpectedAnswer }
        return DeletedDocumentList(deleted)
    }

    /// Brings a deleted document back under its name. The document is identified by its number, because
    /// several deleted documents may have had the same name.
    public func undelete(_ number: Int) async throws {
        try await send(.undelete(Undelete(number: number)))
    }

    /// Creates a new revision that has the text of an old one.
    @discardableResult
    public func restore(_ name: String, to revision: Revision) async throws -> SavedText {
        let old = try await read(name, at: .revision(revision))
        let restore = Restore(
            document: WireString(name), epoch: WireString(old.epoch), revision: revision,
            seq: nextPushNumber())
        return try await save(.restore(restore))
    }

    /// Pushes a full text. The server finds the changes from the version in `read` to `text`, and merges them
    /// with later changes of others. Without `read`, the document must be new, or must already have exactly
    /// this text.
    ///
    /// To change a document that this client has open, use its `LiveDocument` instead.
    @discardableResult
    public func push(
        _ text: String, to name: String, since read: DocumentVersion? = nil, creating: Bool = false,
        answeringWithText: Bool = false
    ) async throws -> SavedText {
        let push = CaretWire.Push(
            document: WireString(name), epoch: read.map { WireString($0.epoch) },
            base: read?.revision ?? 0, seq: nextPushNumber(), content: .text(WireString(text)),
            wantsText: answeringWithText, create: creating)
        return try await save(.push(push))
    }

    private func save(_ message: ClientMessage) async throws -> SavedText {
        let answer = try await request(message)
        guard case .ack(let ack) = answer else { throw unexpectedAnswer }
        return SavedText(ack)
    }

    private func send(_ message: ClientMessage) async throws {
        let answer = try await request(message)
        guard case .done = answer else { throw unexpectedAnswer }
    }

    var unexpectedAnswer: ConnectionFault {
        .lost(address, reason: "the server's answer does not fit the request")
    }
}
