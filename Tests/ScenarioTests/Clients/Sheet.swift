import CaretCore
import CaretReplica
import CaretWire

/// One document as an editor has it: the replica, and what its owner keeps beside it.
struct Sheet {
    var replica: Replica
    /// What the document is called.
    var name: WireString
    /// It may be made where there is none.
    var creates = false
    var lastOpen: RequestID?
    /// The last push as it was sent.
    var pushed: Push?
    /// The server refuses the next new push by this code.
    var nextRefusal: ErrorCode?
    /// The number of a push that was not sent, while its refusal is on its way.
    var refusedSeq: Int?
    /// Which order to try again is the last one.
    var retry = 0
    /// What the owner sees.
    private(set) var view = Text()
    /// Which code units of the view the owner has put there.
    private var ownUnits: [Bool] = []
    /// When something was typed last.
    var lastTyped: Int64?
    /// What was typed since the last push, as it was typed.
    var unmoved: Change?
    /// What was typed and may not be lost.
    var markers: Set<UInt32> = []
    var state = SavingState.opening
    /// It was just told a wrong sum of its text.
    var isMisled = false

    init(_ name: WireString, firstSeq: Seq, _ mode: DocumentMode) {
        self.name = name
        replica = Replica(firstSeq: firstSeq, mode: mode)
    }

    /// The program was started again, and goes on with this replica.
    mutating func goOn(with replica: Replica) {
        self.replica = replica
        view = replica.text
        ownUnits = Array(repeating: false, count: view.length.utf16)
        state = replica.state
        lastOpen = nil
        lastTyped = nil
        retry += 1
    }

    /// Makes a change in the view. False, with nothing changed, where it does not fit.
    mutating func show(_ change: Change, isOwn: Bool) -> Bool {
        if (try? view.apply(change)) == nil { return false }
        for edit in change.edits.reversed() {
            ownUnits.replaceSubrange(
                units(of: edit), with: repeatElement(isOwn, count: edit.inserted.utf16))
        }
        return true
    }

    /// Whether a change of the view removes only what the owner has put there.
    func removesOnlyOwn(_ change: Change) -> Bool {
        change.edits.allSatisfy { ownUnits[units(of: $0)].allSatisfy { $0 } }
    }

    private func units(of edit: Edit) -> Range<Int> {
        edit.range.lowerBound.value..<edit.range.upperBound.value
    }
}
