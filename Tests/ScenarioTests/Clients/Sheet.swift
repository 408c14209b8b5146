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
    /// Which order to try again is the last one.
    var retry = 0
    /// What the owner sees.
    var view = Text()
    /// What was typed since the last push, as it was typed.
    var unmoved: Change?
    /// What was typed and may not be lost.
    var markers: Set<UInt32> = []
    var state = SavingState.opening

    init(_ name: WireString, firstSeq: Seq, _ mode: DocumentMode) {
        self.name = name
        replica = Replica(firstSeq: firstSeq, mode: mode)
    }
}
