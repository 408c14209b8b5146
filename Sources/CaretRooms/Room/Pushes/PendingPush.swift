import CaretCore
import CaretLog
import CaretWire

/// A push that the room has accepted and not resolved yet.
package struct PendingPush: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// It waits for the text at this revision.
        case needsText(Revision)
        /// Its change, made at this revision, waits for the revisions after it.
        case needsHistory(Change, at: Revision)
        /// Its change is being computed in the background, and will be one at this revision.
        case computing(WorkID, at: Revision)
        /// It waits for the next segment. Its intent is what it does at this revision.
        case ready(PushIntent, at: Revision)
        /// It is in the segment that is being appended.
        case inFlight
    }

    package var push: RoomPush
    var stage: Stage
    /// Nothing was known of earlier pushes of this pusher.
    let isFirstOfPusher: Bool
    /// A whole text, as it was pushed; nil if edits were pushed.
    let whole: NormalText?
    /// What a restore takes the document back to, once that was read.
    var target: Text?
    /// The answer goes to another session than the one that pushed it first.
    var hasMoved = false
    /// How often the room has computed something for it in the background.
    var rounds = 0

    package init(_ push: RoomPush, whole: NormalText?, isFirstOfPusher: Bool) {
        self.push = push
        self.whole = whole
        self.isFirstOfPusher = isFirstOfPusher
        stage = .needsText(push.base)
    }

    /// How often a push is computed in the background while others commit. After that they wait for it: otherwise an
    /// expensive push would never catch up with a busy document. Other documents wait for nothing. Not one of `Limits`:
    /// nothing is refused above it.
    private static let mostRounds = 3

    /// Other pushes wait until this one is computed.
    var hasPriority: Bool { rounds > PendingPush.mostRounds }

    /// It was sent again: the answer goes to where it was sent last.
    mutating func repeated(_ other: RoomPush) {
        if push.session != other.session { hasMoved = true }
        push.session = other.session
        push.id = other.id
        push.wantsText = other.wantsText
        push.rights = other.rights
    }
}

/// What a push does to the document once its turn comes.
enum PushIntent: Equatable, Sendable {
    case change(Change)
    /// The text becomes this one again, whatever it is then. `found` is the change to it from the text that was
    /// compared last, computed in the background.
    case restore(Text, found: Change?)
}
