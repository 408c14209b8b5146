/// All faults that are planted, by what they are called in the table.
enum Faults {
    static let all: [(name: String, make: @Sendable () -> PlantedFault)] = [
        ("ack before sync", { AckBeforeSync() }),
        ("a sync that lies", { SyncThatLies() }),
        ("one revision skipped in a rebase", { RevisionSkipped() }),
        ("tie reversed on one side", { TieReversed() }),
        ("a repeat forgotten after a restart", { RepeatForgotten() }),
        ("a repeat answered with another revision", { RepeatAtAnotherRevision() }),
        ("a change lost at the window's edge", { ChangeLostAtTheEdge() }),
        ("presence not mapped", { PresenceNotMapped() }),
        ("an astral offset off by one", { AstralOffByOne() }),
        ("resume one short", { ResumeOneShort() }),
        ("rights cached too long", { RightsCachedTooLong() }),
        ("a read in front of an own push", { ReadBeforeOwnPush() }),
        ("news as of the first look", { NewsOfFirstLook() }),
        ("empty text after a failed load", { EmptyAfterFailedLoad() }),
        ("an unsent change not rebased", { UnsentNotRebased() }),
        ("a sum of another text", { SumOfAnotherText() }),
        ("a line sent twice", { LineSentTwice() }),
        ("an ack without its id", { AckWithoutID() }),
    ]
}
