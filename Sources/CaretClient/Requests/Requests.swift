public import CaretCore
import CaretWire

// What can be asked of documents by their names.
extension CaretClient {
    /// The text of a document, now or as it once was.
    public func read(_ name: String, at point: HistoryPoint? = nil) async throws -> DocumentVersion {
        let answer = try await ask(
            .read(Read(document: WireString(name), moment: point?.moment ?? .unsaid)))
        guard case .text(let text) = answer else { throw unexpected }
        return DocumentVersion(text)
    }

    /// Documents that this client may read, in the order of their names, up to 1,000 at once.
    public func list(
        prefix: String = "", after: String? = nil, limit: Int = 100
    ) async throws -> DocumentList {
        let prefix = prefix.isEmpty ? nil : WireString(prefix)
        let answer = try await ask(
            .list(List(prefix: prefix, after: after.map { WireString($0) }, limit: limit)))
        guard case .listed(let listed) = answer else { throw unexpected }
        return DocumentList(listed)
    }

    /// The revisions of a document behind a point of its history, up to 1,000 at once.
    public func history(
        of name: String, after point: HistoryPoint? = nil, limit: Int = 100, withChanges: Bool = false
    ) async throws -> DocumentHistory {
        let answer = try await ask(
            .history(
                History(
                    document: WireString(name), after: point?.moment ?? .unsaid, limit: limit,
                    wantsEdits: withChanges)))
        guard case .revisions(let revisions) = answer else { throw unexpected }
        return try DocumentHistory(revisions)
    }

    public func rename(_ name: String, to newName: String) async throws {
        try await order(.rename(Rename(document: WireString(name), to: WireString(newName))))
    }

    public func delete(_ name: String) async throws {
        try await order(.delete(Delete(document: WireString(name))))
    }

    /// Makes a new revision whose text is that of an old one.
    @discardableResult
    public func restore(_ name: String, to revision: Revision) async throws -> SavedText {
        let old = try await read(name, at: .revision(revision))
        let restore = Restore(
            document: WireString(name), epoch: WireString(old.epoch), revision: revision,
            seq: nextPushNumber())
        return try await save(.restore(restore))
    }

    /// Pushes a whole text, which the server compares with the one that was read, and merges with what others have
    /// changed since. Without one that was read the document must be new, unless its text is this one already.
    ///
    /// A document that this client has open is changed by its `Document`.
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
        let answer = try await ask(message)
        guard case .ack(let ack) = answer else { throw unexpected }
        return SavedText(ack)
    }

    private func order(_ message: ClientMessage) async throws {
        let answer = try await ask(message)
        guard case .done = answer else { throw unexpected }
    }

    var unexpected: ConnectionFault {
        .cut(address, reason: "the server gave the answer to another request")
    }
}
