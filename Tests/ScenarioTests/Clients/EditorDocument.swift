import CaretCore
import CaretReplica
import CaretWire

/// One document of an editor: its replica, its view, and the editor's notes for later checks.
struct EditorDocument {
    var replica: Replica
    /// The name of the document.
    var name: WireString
    /// Whether opening may create the document.
    var creates = false
    var lastOpen: RequestID?
    /// The last push as it was sent.
    var pushed: Push?
    /// The server refuses the next new push with this code.
    var nextRefusal: ErrorCode?
    /// The seq of a push that the editor did not send, because the test will simulate its refusal. Nil after
    /// the refusal.
    var refusedSeq: Int?
    /// The number of the newest retry timer. Older ones are ignored.
    var retry = 0
    /// The text that the user sees.
    private(set) var view = TextBuffer()
    /// For each code unit of the view, whether the user inserted it.
    private var ownUnits: [Bool] = []
    /// When the user last typed.
    var lastTyped: Int64?
    /// The edits since the last push, not rebased over the changes of others.
    var unrebasedEdits: Change?
    /// Typed markers that must not be lost.
    var markers: Set<UInt32> = []
    var state = SavingState.opening
    /// True while the replica handles a simulated check that does not match its text.
    var handlesWrongCheck = false

    init(_ name: WireString, firstSeq: Seq, _ mode: DocumentMode) {
        self.name = name
        replica = Replica(firstSeq: firstSeq, mode: mode)
    }

    /// Continues with this replica after a restart of the program.
    mutating func resume(with replica: Replica) {
        self.replica = replica
        view = replica.text
        ownUnits = Array(repeating: false, count: view.length.utf16)
        state = replica.state
        lastOpen = nil
        lastTyped = nil
        retry += 1
    }

    /// Applies a change to the view. Returns false, with nothing changed, if it does not fit.
    mutating func show(_ change: Change, isOwn: Bool) -> Bool {
        if (try? view.apply(change)) == nil { return false }
        for edit in change.edits.reversed() {
            ownUnits.replaceSubrange(
                units(of: edit), with: repeatElement(isOwn, count: edit.inserted.utf16))
        }
        return true
    }

    /// Whether a change of the view removes only text that the user inserted.
    func removesOnlyOwn(_ change: Change) -> Bool {
        change.edits.allSatisfy { ownUnits[units(of: $0)].allSatisfy { $0 } }
    }

    private func units(of edit: Edit) -> Range<Int> {
        edit.range.lowerBound.value..<edit.range.upperBound.value
    }
}
