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
public final class LiveDocument: Sendable {
    private let client: LiveClient
    private let key: DocumentKey

    init(_ client: LiveClient, _ key: DocumentKey) {
        self.client = client
        self.key = key
    }

    deinit { client.shell.close(key) }

    // MARK: Reading

    /// The current name. The name changes when somebody renames the document.
    public var name: String { read { $0.name.string } ?? "" }
    /// The text with all edits of the user, saved or unsaved.
    public var text: TextBuffer { read { $0.replica.text } ?? TextBuffer() }
    /// The number of the newest revision that `text` contains.
    public var revision: Revision { read { $0.replica.revision } ?? 0 }
    /// Whether the text is saved.
    public var state: SavingState { read { $0.state } ?? .offline }
    /// The user's own selections. They move when others change the text before them.
    public var selections: [Selection] { read { $0.replica.selections } ?? [] }
    /// The other sessions that have the document open, with their selections in `text`.
    public var peers: [DocumentPeer] { read { $0.peers } ?? [] }
    /// The unsaved edits, as one change that turns the saved text into `text`.
    public var unsaved: Change { read { $0.replica.unsaved } ?? Change() }
    public var canUndo: Bool { read { $0.replica.canUndo } ?? false }
    public var canRedo: Bool { read { $0.replica.canRedo } ?? false }

    /// The updates of the document from now on, except edits made through this object. Each access returns a
    /// new sequence, and each sequence gets all updates. A slow reader gets combined updates.
    public var updates: DocumentUpdates { DocumentUpdates(client.shell, key) }

    /// The document now, and then after every update. A slow reader gets only the latest snapshot. Each
    /// access returns a new sequence. It ends when the document is closed.
    ///
    /// An edit made through this object begins a new snapshot only if it changes `state`.
    public var snapshots: DocumentSnapshots { DocumentSnapshots(self) }

    /// The document at this moment. Nil if it is closed.
    func snapshot() -> DocumentSnapshot? { read { DocumentSnapshot($0) } }

    // MARK: Editing

    /// Calls `body` with the current text and applies the edits that `body` returns. Throws and changes
    /// nothing if the edits do not fit the text.
    ///
    /// The document is locked while `body` runs, so no other change comes in between. `body` must be quick
    /// and must not use the document.
    public func edit(_ body: (TextBuffer) throws -> [Edit]) throws {
        _ = try client.shell.change(key) { document, now, ids in
            let change = try Change(body(document.replica.text))
            return ((), try document.typed(change, at: now, &ids))
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
        _ = try client.shell.change(key) { document, now, ids in
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
        try await client.shell.wait(for: key, until: .opened)
        return self
    }

    /// Waits until all edits are saved. Throws `RefusedEdits` if the server has refused some of the edits.
    public func saved() async throws { try await client.shell.wait(for: key, until: .saved) }

    /// Waits until the edits are in the client's folder, so that they survive the end of the program. If the
    /// client has no folder, waits until the server has saved the edits. Throws `UnsavedEditsFault` if the
    /// edits cannot be written.
    public func kept() async throws { try await client.shell.wait(untilKept: key) }

    /// Tries again to save refused edits, perhaps after the user has changed them. If the client waits
    /// for a delay before it sends edits again, it sends them at once.
    public func retry() { change { $0.retried(at: $1, &$2) } }

    /// Drops the unsaved edits, and returns them as a change to the saved text.
    @discardableResult
    public func discard() -> Change {
        client.shell.change(key) { document, now, ids in
            (document.replica.unsaved, document.discarded(at: now, &ids))
        } ?? Change()
    }

    /// Closes the document. Unsaved edits are lost, unless the client keeps them in a folder.
    public func close() { client.shell.close(key) }

    // MARK: Views

    package func nextViewNumber() -> Int { client.shell.nextNumber() }

    /// Binds a view, and returns the text that it must show.
    package func bind(_ view: Int) -> TextBuffer {
        client.shell.change(key) { document, _, _ in
            document.bind(view)
            return (document.replica.text, [])
        } ?? TextBuffer()
    }

    package func unbind(_ view: Int) {
        _ = client.shell.change(key) { document, _, _ in ((), document.unbind(view)) }
    }

    /// Records why the document has not accepted all text of a view. `state` is nil if the document has
    /// accepted all text of the view.
    package func setUnaccepted(_ state: SavingState?, in view: Int) {
        _ = client.shell.change(key) { document, _, _ in ((), document.setUnaccepted(state, in: view)) }
    }

    /// Applies a change that the user made in a view. Returns the change that brings the view up to date.
    package func typed(_ change: Change, in view: Int) throws -> Change {
        try client.shell.change(key) { try $0.typed(change, in: view, at: $1, &$2) } ?? Change()
    }

    /// Sets the user's selections, in a view that may lack changes of the document.
    package func select(_ selections: [Selection], in view: Int) throws {
        _ = try client.shell.change(key) { document, now, ids in
            let missing = document.unshown[view] ?? Change()
            let current = selections.map { $0.mapped(through: missing) }
            return ((), try document.selected(current, at: now, &ids))
        }
    }

    /// The other sessions. Nil if a view lacks changes of the document, so that their selections do not fit its text.
    package func peers(for view: Int) -> [DocumentPeer]? {
        read { $0.unshown[view]?.isEmpty == true ? $0.peers : nil } ?? nil
    }

    private func read<Answer: Sendable>(_ body: (DocumentState) -> Answer) -> Answer? {
        client.shell.read(at: key, body)
    }

    private func change(_ body: (inout DocumentState, Moment, inout RequestIDs) -> [DocumentAction]) {
        _ = client.shell.change(key) { ((), body(&$0, $1, &$2)) }
    }
}

extension LiveClient {
    /// Opens a document without waiting for the server. With `creating`, the document is created if it does
    /// not exist.
    ///
    /// If the client's folder has unsaved edits of the document, the text is available at once. The state is
    /// then `offline` until the server has opened the document. Without unsaved edits, the text is empty and
    /// the state is `opening`. `LiveDocument.opened` waits for the text.
    public func open(_ name: String, creating: Bool = false, mode: DocumentMode = .edit) -> LiveDocument {
        LiveDocument(self, shell.open(WireString(name), creating: creating, mode: mode))
    }
}
