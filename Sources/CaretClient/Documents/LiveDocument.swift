public import CaretCore
public import CaretReplica
import CaretWire

/// A document that is open: its text as it is here and now, and what others do to it.
///
/// What is changed here is there at once, and saved as soon as the server can be reached: `state` tells. The document
/// is opened by itself once there is a connection, and again after every cut. It is closed when nobody has it any more, or by `close`; then it is empty,
/// and every call is without effect.
public final class Document: Sendable {
    private let client: CaretClient
    private let key: DocumentKey

    init(_ client: CaretClient, _ key: DocumentKey) {
        self.client = client
        self.key = key
    }

    deinit { client.shell.close(key) }

    // MARK: As it is

    public var name: String { look { $0.name.string } ?? "" }
    public var text: Text { look { $0.replica.text } ?? Text() }
    /// The newest revision that the text has all of.
    public var revision: Revision { look { $0.replica.revision } ?? 0 }
    public var state: SavingState { look { $0.state } ?? .offline }
    /// One's own selections, which keep their places in the text.
    public var selections: [Selection] { look { $0.replica.selections } ?? [] }
    /// The others who have the document open, and where they stand in the text.
    public var peers: [DocumentPeer] { look { $0.peers } ?? [] }
    /// What is not saved: what `text` changes in the text that is.
    public var unsaved: Change { look { $0.replica.unsaved } ?? Change() }
    public var canUndo: Bool { look { $0.replica.canUndo } ?? false }
    public var canRedo: Bool { look { $0.replica.canRedo } ?? false }

    /// What happens to the document from here on, but for what is done here. A reader may be slow, and is told the
    /// latest; each sequence is told everything.
    public var updates: DocumentUpdates { DocumentUpdates(client.shell, key) }

    // MARK: Changing it

    /// Makes the edits that `body` answers with for the text as it is; throws, with nothing changed, where they do not
    /// fit. Nothing comes between reading the text and changing it, so `body` should be quick and ask nothing of the
    /// document.
    public func edit(_ body: (Text) throws -> [Edit]) throws {
        _ = try client.shell.change(key) { document, now, ids in
            let change = try Change(body(document.replica.text))
            return ((), try document.typed(change, at: now, &ids))
        }
    }

    /// Puts `string` in place of the text in `range`. Every line break becomes LF.
    public func replace(_ range: Range<Offset>, with string: String) throws {
        try edit { _ in [try Edit(range, string.withLineFeeds)] }
    }

    /// Makes the text this one by the smallest edits, so that everybody's carets stay where they are. Every line break
    /// becomes LF.
    public func setText(_ string: String) throws {
        let new = Text(normalizing: string)
        try edit { diff(from: $0, to: new).edits }
    }

    /// Tells the others where this person stands.
    public func select(_ selections: [Selection]) throws {
        _ = try client.shell.change(key) { document, now, ids in
            ((), try document.selected(selections, at: now, &ids))
        }
    }

    /// Takes back what was done here last, and nothing of what others have done.
    public func undo() { change { $0.undone(at: $1, &$2) } }

    /// Brings back what was undone last.
    public func redo() { change { $0.redone(at: $1, &$2) } }

    // MARK: Saving it

    /// Waits until the text is here: from the server, or at once where some of it was kept. Throws `ServerRefusal` where
    /// there is no document of that name, or none for this client.
    @discardableResult
    public func opened() async throws -> Document {
        try await client.shell.wait(for: key, until: .opened)
        return self
    }

    /// Waits until all that was done here is saved. Throws `RefusedEdits` where some of it will not be.
    public func saved() async throws { try await client.shell.wait(for: key, until: .saved) }

    /// Waits until all that was done here outlives the program, whether the server can be reached or not: until it is in
    /// the folder of the client, or, where that has none, saved. Throws `KeepingFault` where it cannot be kept.
    public func kept() async throws { try await client.shell.wait(untilKept: key) }

    /// Tries again to save what was refused, perhaps after it was changed; and what waits, at once.
    public func retry() { change { $0.retried(at: $1, &$2) } }

    /// Gives up what is not saved, and answers with it: what it changes in the text that is.
    @discardableResult
    public func discard() -> Change {
        client.shell.change(key) { document, now, ids in
            (document.replica.unsaved, document.discarded(at: now, &ids))
        } ?? Change()
    }

    /// Ends it here; what is not saved by then is lost.
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

    /// A view holds text that is not in the document; nil where it holds none.
    func withhold(_ state: SavingState?, in view: Int) {
        _ = client.shell.change(key) { document, _, _ in ((), document.withhold(state, in: view)) }
    }

    /// What a view is to be changed by, whose person has changed it.
    func typed(_ change: Change, in view: Int) throws -> Change {
        try client.shell.change(key) { try $0.typed(change, in: view, at: $1, &$2) } ?? Change()
    }

    private func look<Answer: Sendable>(_ body: (DocumentState) -> Answer) -> Answer? {
        client.shell.look(at: key, body)
    }

    private func change(_ body: (inout DocumentState, Moment, inout RequestIDs) -> [DocumentAction]) {
        _ = client.shell.change(key) { ((), body(&$0, $1, &$2)) }
    }
}

extension CaretClient {
    /// Opens a document, and does not wait for the server; with `creating` the document is made where there is none.
    ///
    /// Where unsaved edits of it were kept, the text is here with them, in the state `offline` until the server has
    /// opened it. Otherwise the text is empty and the state is `opening`: `Document.opened` waits for the text.
    public func open(_ name: String, creating: Bool = false, mode: DocumentMode = .edit) -> Document {
        Document(self, shell.open(WireString(name), creating: creating, mode: mode))
    }
}
