public import CaretClient

/// Keeps a view and a document equal, in both directions.
///
/// The binding obeys these rules:
/// - Changes of others never move the user's caret or selection to other characters.
/// - While an input method composes a text, the view is not changed, and the document does not get the text.
/// - Only the changed parts of a text are passed on, so a key in a long text costs as much as in a short one.
/// - `undo` and `redo` affect only what was typed in this document object, never edits of others.
/// - What the user types before the text of the document arrives stays, and comes after the text.
///
/// The binding does not keep the view alive. It ends when it is released.
@MainActor public final class EditorBinding {
    private weak var view: (any EditorView)?
    public let document: LiveDocument
    private let number: Int
    /// The text of the view without `own`.
    private var shown: TextBuffer
    /// What the user has typed and the document does not have yet.
    private var own = Change()
    /// The user has changed the text, but `own` does not say how.
    private var mustCompare = false
    /// True while the binding changes the view. The view may then report changes that are not the user's.
    private var isChangingView = false
    /// The first text has not arrived yet. It must not push the caret to its end.
    private var awaitsText: Bool
    private var carets: [RemoteCaret] = []
    private var updates: Task<Void, Never>?

    /// Shows the document in the view, with the caret at the start. The text that was in the view is
    /// replaced.
    public init(_ view: any EditorView, _ document: LiveDocument) {
        self.view = view
        self.document = document
        number = document.nextViewNumber()
        awaitsText = document.state == .opening
        shown = document.bind(number)
        change(view) {
            view.applyEdits([EditorEdit(0..<view.editorLength, shown.string)])
            view.editorSelection = 0..<0
        }
        let news = document.updates
        updates = Task { [weak self] in
            for await _ in news {
                guard let self else { return }
                sync()
            }
        }
        BindingList.add(self)
        showCarets(in: view)
    }

    deinit {
        updates?.cancel()
        document.unbind(number)
    }

    // MARK: Calls of the view

    /// The user has replaced the range of the text by another text. Call this for every change that the view
    /// reports; the binding ignores those that it has made itself.
    public func edited(_ range: Range<Int>, with text: String) {
        if isChangingView { return }
        do {
            let edit = try Edit(Offset(range.lowerBound)..<Offset(range.upperBound), text)
            own = try own.composed(with: Change([edit]))
        } catch {
            mustCompare = true
        }
    }

    /// The user has changed the text in a way that the view cannot tell. The whole text is compared.
    public func editedAnywhere() { if !isChangingView { mustCompare = true } }

    /// Passes the user's edits and selection to the document, and the edits of others to the view. Call this
    /// when the user has finished a change or has moved the caret, and when an input method has ended. The
    /// binding calls it itself when others have changed the document.
    public func sync() {
        guard !isChangingView, let view else { return }
        if view.isComposing {
            let hasTyped = mustCompare || !own.isEmpty
            document.setUnaccepted(hasTyped ? .sending : nil, in: number)
            return
        }
        let hadTyped = mustCompare || !own.isEmpty
        enter(view)
        // A view may select half of an emoji. The document refuses such a selection and keeps the last one.
        let range = view.editorSelection
        let selection = Selection(anchor: Offset(range.lowerBound), head: Offset(range.upperBound))
        if document.selections != [selection] { try? document.select([selection]) }
        showCarets(in: view)
        if hadTyped { BindingList.sync(others: self) }
    }

    /// Undoes the user's last edit that still has an effect. Does nothing while an input method composes.
    public func undo() { runHistory { $0.undo() } }

    /// Redoes the edit that was undone last. Does nothing while an input method composes.
    public func redo() { runHistory { $0.redo() } }

    private func runHistory(_ body: (LiveDocument) -> Void) {
        guard let view, !view.isComposing else { return }
        sync()
        body(document)
        sync()
        BindingList.sync(others: self)
    }

    // MARK: Exchange

    private func enter(_ view: any EditorView) {
        do {
            if !isExact(view) { try compare(view) }
            let missing = try document.typed(own, in: number)
            let entered = try shown.applying(own)
            shown = try entered.applying(missing)
            own = Change()
            show(missing, isFirst: awaitsText && entered.end == 0, in: view)
            if document.state != .opening { awaitsText = false }
        } catch {
            // The text cannot be a document's text. The user sees that it is not saved.
            document.setUnaccepted(.refused(.badText), in: number)
        }
    }

    /// Whether `own` turns `shown` into the text of the view.
    private func isExact(_ view: any EditorView) -> Bool {
        if mustCompare { return false }
        // An edit that does not fit, for example inside an emoji, throws. Then the texts are compared.
        guard let text = try? shown.applying(own) else { return false }
        return text.end.value == view.editorLength
    }

    /// Finds what the user has changed by comparing texts. CR LF and CR become LF, also in the view.
    private func compare(_ view: any EditorView) throws {
        let text = view.editorText
        let normal = TextBuffer(normalizing: text)
        if text.hasCarriageReturn {
            let range = view.editorSelection
            let start = text.offsetInLineFeeds(of: range.lowerBound)
            let end = text.offsetInLineFeeds(of: range.upperBound)
            change(view) {
                view.applyEdits([EditorEdit(0..<text.utf16.count, normal.string)])
                view.editorSelection = start..<end
            }
        }
        own = diff(from: shown, to: normal)
        mustCompare = false
    }

    /// Shows a change of others. The selection stays on the same characters.
    private func show(_ missing: Change, isFirst: Bool, in view: any EditorView) {
        if missing.isEmpty { return }
        let range = view.editorSelection
        let selection = Selection(anchor: Offset(range.lowerBound), head: Offset(range.upperBound))
        let moved = selection.mapped(through: missing)
        let edits = missing.edits.map {
            EditorEdit($0.range.lowerBound.value..<$0.range.upperBound.value, $0.text)
        }
        change(view) {
            view.applyEdits(edits)
            view.editorSelection = isFirst ? 0..<0 : moved.start.value..<moved.end.value
        }
    }

    private func change(_ view: any EditorView, _ body: () -> Void) {
        isChangingView = true
        body()
        isChangingView = false
    }

    private func showCarets(in view: any EditorView) {
        guard let peers = document.peers(for: number) else { return }
        let found = peers.flatMap { peer in
            peer.selections.map { selection in
                RemoteCaret(
                    session: peer.session, name: peer.person?.name ?? peer.user,
                    color: peer.person?.color.flatMap { CaretColor(css: $0) }
                        ?? CaretColor(session: peer.session),
                    range: selection.start.value..<selection.end.value, head: selection.head.value)
            }
        }
        if found.isEmpty && carets.isEmpty { return }
        carets = found
        view.showCarets(found)
    }
}

/// All bindings. A document does not report edits that were made through it, so the views of one document
/// tell each other.
@MainActor private enum BindingList {
    private struct Entry {
        weak var binding: EditorBinding?
    }

    private static var entries: [Entry] = []

    static func add(_ binding: EditorBinding) {
        entries.removeAll { $0.binding == nil }
        entries.append(Entry(binding: binding))
    }

    static func sync(others binding: EditorBinding) {
        for entry in entries {
            guard let other = entry.binding, other !== binding else { continue }
            if other.document === binding.document { other.sync() }
        }
    }
}
