import CaretCore
public import CaretReplica
public import Observation

/// A document for code that observes properties, such as a view of SwiftUI: its properties change when the document
/// does.
///
/// `text` can be bound to a view. A new value is compared with the text that was read last, so text that others have
/// written since is kept. If the last object of a document is released before its edits are saved, they are lost, unless
/// the client has a folder for unsaved edits.
@MainActor @Observable public final class ObservableDocument {
    /// The document itself, to wait until it is saved, to undo, or to retry refused edits.
    public let live: LiveDocument
    public private(set) var name: String
    /// Whether the text is saved.
    public private(set) var state: SavingState
    /// The other sessions that have the document open. Their selections are offsets in the text of `live`.
    public private(set) var peers: [DocumentPeer]
    /// The text that was read or set last.
    @ObservationIgnored private var shown: TextBuffer
    @ObservationIgnored private let view: Int
    @ObservationIgnored private var reading: Task<Void, Never>?

    /// Opens a document. All objects of a client with one name share one document.
    public init(_ client: LiveClient, _ name: String, creating: Bool = false) {
        live = client.open(name, creating: creating)
        view = live.nextViewNumber()
        shown = live.bind(view)
        (self.name, state, peers) = (live.name, live.state, live.peers)
        reading = Task { [weak self, snapshots = live.snapshots] in
            for await _ in snapshots { self?.update() }
        }
    }

    deinit {
        reading?.cancel()
        live.unbind(view)
    }

    /// The text with all edits of the user, saved or unsaved. A new value edits only the parts that differ. CR LF and CR
    /// become LF. After the document is closed, the text stays as it is.
    public var text: String {
        get {
            access(keyPath: \.text)
            exchange(Change(), to: shown)
            return shown.string
        }
        set {
            if live.snapshot() == nil { return }
            let entered = TextBuffer(normalizing: newValue)
            withMutation(keyPath: \.text) { exchange(diff(from: shown, to: entered), to: entered) }
            update()
        }
    }

    /// Reads the document as it is now. The snapshot that has arrived may be older than the last edit.
    private func update() {
        guard let now = live.snapshot() else { return }
        if now.text != shown { withMutation(keyPath: \.text) {} }
        // Setting a property to its old value would redraw every view that reads it.
        if name != now.name { name = now.name }
        if state != now.state { state = now.state }
        if peers != now.peers { peers = now.peers }
    }

    /// Applies the change that a view has made to `shown`, and adds the edits of others to the text of the view.
    private func exchange(_ change: Change, to entered: TextBuffer) {
        do {
            let missing = try live.typed(change, in: view)
            shown = try entered.applying(missing)
        } catch {
            preconditionFailure("a change of the text does not fit the text: \(error)")
        }
    }
}
