public import CaretCore
public import CaretReplica
import CaretWire

/// An open document: its text, the user's edits and selections, and what other clients do.
///
/// An edit changes `text` at once. The client saves the edit as soon as the server can be reached; `state`
/// says whether all edits are saved. The client opens the document on the server when there is a connection,
/// and again after every reconnect. The document is closed by `close`, or when this object is released. A
/// closed document is empty, and its methods have no effect. Methods that wait throw `ConnectionFault` when
/// the document is closed or the client has ended.
///
/// Several objects of a client with one name are one document, for example one object for each window. They
/// share everything that this class has, and each gets the edits of the others as updates. The document stays
/// open until all of them are closed.
public final class LiveDocument: Sendable {
    private let client: LiveClient
    /// Fails if the client has opened the document in another mode.
    private let user: Result<DocumentUser, ServerRefusal>

    init(_ client: LiveClient, _ user: Result<DocumentUser, ServerRefusal>) {
        self.client = client
        self.user = user
    }

    deinit { close() }

    // MARK: Reading

    /// The current name. The name changes when somebody renames the document.
    public var name: String { read { $0.name.string } ?? "" }
    /// The text with all edits of the user, saved or unsaved.
    public var text: TextBuffer { read { $0.replica.text } ?? TextBuffer() }
    /// The number of the newest revision that `text` contains.
    public var revision: Revision { read { $0.replica.revision } ?? 0 }
    /// Whether the text is saved.
    public var state: SavingState { read { $0.state } ?? .offline }
    /// Why the client has no connection, so that the document is not open on the server. Nil while the client is
    /// connected, and before the first failure.
    public var connectionFault: ConnectionFault? { client.lastError }
    /// The user's own selections. They move when others change the text before them.
    public var selections: [Selection] { read { $0.replica.selections } ?? [] }
    /// The other sessions that have the document open, with their selections in `text`.
    public var peers: [DocumentPeer] { read { $0.peers } ?? [] }
    /// The unsaved edits, as one change that turns the saved text into `text`.
    public var unsaved: Change { read { $0.replica.unsaved } ?? Change() }
    /// Why unsaved edits cannot be written to the client's folder, so that they would not survive the end of the
    /// program. The client tries again every five seconds, and the first success ends the fault. Nil if the client has
    /// no folder.
    public var keepingFault: UnsavedEditsFault? { openUser.flatMap { client.shell.keepingFault(of: $0) } }
    public var canUndo: Bool { read { $0.replica.canUndo } ?? false }
    public var canRedo: Bool { read { $0.replica.canRedo } ?? false }

    /// The updates of the document from now on, except edits made through this object. Each access returns a
    /// new sequence, and each sequence gets all updates. A slow reader gets combined updates.
    public var updates: DocumentUpdates { DocumentUpdates(client.shell, openUser) }

    /// The document now, and then after every update. A slow reader gets only the latest snapshot. Each
    /// access returns a new sequence. It ends when the document is closed.
    ///
    /// An edit made through this object begins a new snapshot only if it changes `state`.
    public var snapshots: DocumentSnapshots { DocumentSnapshots(self) }

    /// The document at this moment. Nil if it is closed.
    func snapshot() -> DocumentSnapshot? {
        let keepingFault = keepingFault
        return read { DocumentSnapshot($0, keepingFault: keepingFault) }
    }

    // MARK: Editing

    /// Calls `body` with the current text and applies the edits that `body` returns. Throws and changes
    /// nothing if the edits do not fit the text.
    ///
    /// The document is locked while `body` runs, so no other change comes in between. `body` must be quick
    /// and must not use the document.
    public func edit(_ body: (TextBuffer) throws -> [Edit]) throws {
        guard let openUser else { return }
        _ = try client.shell.edit(of: openUser) { document, now, ids in
            let change = try Change(body(document.replica.text))
            return (change, (), try document.typed(change, at: now, &ids))
        }
    }

    /// Replaces the text in `range` by `string`. CR LF and CR become LF.
    public func replace(_ range: Range<Offset>, with string: String) throws {
        try edit { _ in [try Edit(range, string.withLineFeeds)] }
    }

    /// Inserts `string` at an offset. CR LF and CR become LF.
    public func insert(_ string: String, at offset: Offset) throws {
        try replace(offset..<offset, with: string)
    }

    /// Adds `string` to the end of the text. CR LF and CR become LF.
    public func append(_ string: String) throws {
        try edit { [try Edit($0.end..<$0.end, string.withLineFeeds)] }
    }

    /// Replaces the whole text by `string`. Only the different parts are edited, so that carets stay where
    /// they are. CR LF and CR become LF.
    public func setText(_ string: String) throws {
        let new = TextBuffer(normalizing: string)
        try edit { diff(from: $0, to: new).edits }
    }

    /// Sets the user's selections, and shows them to the others. An empty selection is a caret.
    public func select(_ selections: [Selection]) throws {
        guard let openUser else { return }
        _ = try client.shell.change(of: openUser) { document, now, ids in
            ((), try document.selected(selections, at: now, &ids))
        }
    }

    /// Undoes the user's last edit that still has an effect. Edits of other users are not undone.
    public func undo() { change { $0.undone(at: $1, &$2) } }

    /// Redoes the edit that was undone last.
    public func redo() { change { $0.redone(at: $1, &$2) } }

    // MARK: Saving

    /// Waits until the server has sent the text. Returns at once if the client's folder has unsaved edits of
    /// the document, because the folder then has the text too. Throws `ServerRefusal` if the document does
    /// not exist, or if the client may not read it.
    @discardableResult
    public func opened() async throws -> LiveDocument {
        try await client.shell.wait(for: user.get(), until: .opened)
        return self
    }

    /// Waits until all edits are saved. Throws `RefusedEdits` if the server has refused some of the edits.
    public func saved() async throws { try await client.shell.wait(for: user.get(), until: .saved) }

    /// Waits until the edits are in the client's folder, so that they survive the end of the program. If the
    /// client has no folder, waits until the server has saved the edits. Throws `UnsavedEditsFault` if the
    /// edits cannot be written.
    public func kept() async throws { try await client.shell.wait(untilKept: user.get()) }

    /// Tries again to save refused edits, perhaps after the user has changed them. If the client waits
    /// for a delay before it sends edits again, it sends them at once.
    public func retry() { change { $0.retried(at: $1, &$2) } }

    /// Drops the unsaved edits, and returns them as a change to the saved text.
    @discardableResult
    public func discard() -> Change {
        answer { document, now, ids in
            (document.replica.unsaved, document.discarded(at: now, &ids))
        } ?? Change()
    }

    /// Closes the document. Unsaved edits are lost, unless the client keeps them in a folder, or has another
    /// object for the document.
    public func close() {
        if let openUser { client.shell.close(openUser) }
    }

    // MARK: Views

    package func nextViewNumber() -> Int { client.shell.nextNumber() }

    /// Binds a view, and returns the text that it must show.
    package func bind(_ view: Int) -> TextBuffer {
        answer { document, _, _ in
            document.bind(view)
            return (document.replica.text, [])
        } ?? TextBuffer()
    }

    package func unbind(_ view: Int) {
        if let openUser { client.shell.unbind(view, from: openUser) }
    }

    /// Records why the document has not accepted all text of a view. `state` is nil if the document has
    /// accepted all text of the view.
    package func setUnaccepted(_ state: SavingState?, in view: Int) {
        change { document, _, _ in document.setUnaccepted(state, in: view) }
    }

    /// Applies a change that the user made in a view. Returns the change that brings the view up to date.
    package func typed(_ change: Change, in view: Int) throws -> Change {
        guard let openUser else { return Change() }
        return try client.shell.edit(of: openUser) { document, now, ids in
            let edits = document.rebased(change, from: view)
            let (missing, actions) = try document.typed(change, in: view, at: now, &ids)
            return (edits, missing, actions)
        } ?? Change()
    }

    /// Sets the user's selections, in a view that may lack changes of the document.
    package func select(_ selections: [Selection], in view: Int) throws {
        guard let openUser else { return }
        _ = try client.shell.change(of: openUser) { document, now, ids in
            let missing = document.unshown[view] ?? Change()
            let current = selections.map { $0.mapped(through: missing) }
            return ((), try document.selected(current, at: now, &ids))
        }
    }

    /// The other sessions. Nil if a view lacks changes of the document, so that their selections do not fit its text.
    package func peers(for view: Int) -> [DocumentPeer]? {
        read { $0.unshown[view]?.isEmpty == true ? $0.peers : nil } ?? nil
    }

    private var openUser: DocumentUser? {
        switch user {
        case .success(let user): user
        case .failure: nil
        }
    }

    private func read<Answer: Sendable>(_ body: (DocumentState) -> Answer) -> Answer? {
        openUser.flatMap { client.shell.read(of: $0, body) }
    }

    private func change(_ body: (inout DocumentState, Moment, inout RequestIDs) -> [DocumentAction]) {
        _ = answer { ((), body(&$0, $1, &$2)) }
    }

    private func answer<Answer: Sendable>(
        _ body: (inout DocumentState, Moment, inout RequestIDs) -> (Answer, [DocumentAction])
    ) -> Answer? {
        openUser.flatMap { client.shell.change(of: $0, body) }
    }
}

extension LiveClient {
    /// Opens a document without waiting for the server. With `creating`, the document is created if it does
    /// not exist.
    ///
    /// If the client's folder has unsaved edits of the document, the text is available at once. The state is
    /// then `offline` until the server has opened the document. Without unsaved edits, the text is empty and
    /// the state is `opening`. `LiveDocument.opened` waits for the text.
    ///
    /// If the client has the document open, the new object shares it. If it is open in the other mode, the new
    /// object is closed, and its `opened` throws a `ServerRefusal` with the word `already_open`.
    public func open(_ name: String, creating: Bool = false, mode: DocumentMode = .edit) -> LiveDocument {
        LiveDocument(
            self,
            Result { () throws(ServerRefusal) in
                try shell.open(WireString(name), creating: creating, mode: mode)
            })
    }
}
