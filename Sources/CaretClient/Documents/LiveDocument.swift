public import CaretCore
public import CaretReplica
import CaretWire

/// An open document: its text, the user's edits and selections, and what other clients do.
///
/// An edit changes `text` at once, and is saved as soon as the server can be reached; `state` says whether it is. The
/// client opens the document on the server when there is a connection, and again after every reconnect. The document
/// is closed by `close`, or when it is released. A closed document is empty, and its methods have no effect. The
/// waiting methods throw `ConnectionFault` when the document is closed or the client has ended.
public final class LiveDocument: Sendable {
    private let client: LiveClient
    private let key: DocumentKey

    init(_ client: LiveClient, _ key: DocumentKey) {
        self.client = client
        self.key = key
    }

    deinit { client.shell.close(key) }

    // MARK: Reading

    /// The present name, which follows renames.
    public var name: String { read { $0.name.string } ?? "" }
    /// The text with all edits of the user, saved or not.
    public var text: Text { read { $0.replica.text } ?? Text() }
    /// The newest revision of the server that the text contains.
    public var revision: Revision { read { $0.replica.revision } ?? 0 }
    /// Whether the text is saved.
    public var state: SavingState { read { $0.state } ?? .offline }
    /// The user's own selections. They move when others change the text before them.
    public var selections: [Selection] { read { $0.replica.selections } ?? [] }
    /// The other sessions that have the document open, with their selections in `text`.
    public var peers: [DocumentPeer] { read { $0.peers } ?? [] }
    /// The unsaved edits, as a change to the saved text that gives `text`.
    public var unsaved: Change { read { $0.replica.unsaved } ?? Change() }
    public var canUndo: Bool { read { $0.replica.canUndo } ?? false }
    public var canRedo: Bool { read { $0.replica.canRedo } ?? false }

    /// What happens to the document from now on, except edits made through this object. Several sequences may be read
    /// at once, and each gets all updates. A slow reader gets combined updates.
    public var updates: DocumentUpdates { DocumentUpdates(client.shell, key) }

    // MARK: Editing

    /// Calls `body` with the present text and applies the edits that it returns. Throws, with nothing changed, if
    /// they do not fit the text.
    ///
    /// The document is locked while `body` runs, so no other change comes in between. `body` must be quick and must
    /// not use the document.
    public func edit(_ body: (Text) throws -> [Edit]) throws {
        _ = try client.shell.change(key) { document, now, ids in
            let change = try Change(body(document.replica.text))
            return ((), try document.typed(change, at: now, &ids))
        }
    }

    /// Replaces the text in `range` by `string`. CR LF and CR become LF.
    public func replace(_ range: Range<Offset>, with string: String) throws {
        try edit { _ in [try Edit(range, string.withLineFeeds)] }
    }

    /// Replaces the whole text by `string`, through the smallest edits, so that carets stay where they are. CR LF and
    /// CR become LF.
    public func setText(_ string: String) throws {
        let new = Text(normalizing: string)
        try edit { diff(from: $0, to: new).edits }
    }

    /// Sets the user's selections, and shows them to the others. An empty selection is a caret.
    public func select(_ selections: [Selection]) throws {
        _ = try client.shell.change(key) { document, now, ids in
            ((), try document.selected(selections, at: now, &ids))
        }
    }

    /// Undoes the user's last edit that still has an effect, and nothing of what others have done.
    public func undo() { change { $0.undone(at: $1, &$2) } }

    /// Redoes what was undone last.
    public func redo() { change { $0.redone(at: $1, &$2) } }

    // MARK: Saving

    /// Waits until the text is here: from the server, or at once if unsaved edits of the document were kept in the
    /// folder of the client. Throws `ServerRefusal` if the document does not exist, or if the client may not read it.
    @discardableResult
    public func opened() async throws -> LiveDocument {
        try await client.shell.wait(for: key, until: .opened)
        return self
    }

    /// Waits until all edits are saved. Throws `RefusedEdits` if the server has refused some.
    public func saved() async throws { try await client.shell.wait(for: key, until: .saved) }

    /// Waits until the edits survive the end of the program, even without a server: until they are in the folder of
    /// the client. Without a folder, waits until they are saved. Throws `UnsavedEditsFault` if they cannot be
    /// written.
    public func kept() async throws { try await client.shell.wait(untilKept: key) }

    /// Tries again to save refused edits, perhaps after the user has changed them. Edits that wait for a retry are
    /// sent at once.
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

    func nextViewNumber() -> Int { client.shell.nextNumber() }

    func bind(_ view: Int) -> Text {
        client.shell.change(key) { document, _, _ in
            document.bind(view)
            return (document.replica.text, [])
        } ?? Text()
    }

    func unbind(_ view: Int) {
        _ = client.shell.change(key) { document, _, _ in ((), document.unbind(view)) }
    }

    /// Notes that a view holds text that the document has not accepted, and why. Nil if it holds none.
    func setUnaccepted(_ state: SavingState?, in view: Int) {
        _ = client.shell.change(key) { document, _, _ in ((), document.setUnaccepted(state, in: view)) }
    }

    /// Applies a change that the user made in a view. Returns the change that brings the view up to date.
    func typed(_ change: Change, in view: Int) throws -> Change {
        try client.shell.change(key) { try $0.typed(change, in: view, at: $1, &$2) } ?? Change()
    }

    private func read<Answer: Sendable>(_ body: (DocumentState) -> Answer) -> Answer? {
        client.shell.read(at: key, body)
    }

    private func change(_ body: (inout DocumentState, Moment, inout RequestIDs) -> [DocumentAction]) {
        _ = client.shell.change(key) { ((), body(&$0, $1, &$2)) }
    }
}

extension LiveClient {
    /// Opens a document without waiting for the server. With `creating`, the document is created if it does not
    /// exist.
    ///
    /// If the folder of the client has unsaved edits of the document, its text is here at once, and its state is
    /// `offline` until the server has opened it. Otherwise the text is empty and the state is `opening`;
    /// `LiveDocument.opened` waits for the text.
    public func open(_ name: String, creating: Bool = false, mode: DocumentMode = .edit) -> LiveDocument {
        LiveDocument(self, shell.open(WireString(name), creating: creating, mode: mode))
    }
}
