import CaretCore
import CaretLog
import CaretWire

/// A push that the room has accepted and not resolved yet.
package struct PendingPush: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// The push waits for the text at this revision.
        case needsText(Revision)
        /// The change of the push, made at this revision, waits for the later revisions.
        case needsHistory(Change, at: Revision)
        /// The change of the push is being computed in the background, for this revision.
        case computing(WorkID, at: Revision)
        /// The push waits for the next segment. The intent says what the push does to the text at this
        /// revision.
        case ready(PushIntent, at: Revision)
        /// The push is in the segment that is being appended.
        case inFlight
    }

    package var push: RoomPush
    var stage: Stage
    /// Whether no earlier push of this pusher was known when the room accepted this push.
    let isFirstOfPusher: Bool
    /// The whole text as pushed; nil if edits were pushed.
    let whole: NormalText?
    /// Whether the room accepted the push before, so that its steps are charged already.
    let wasAccepted: Bool
    /// The text to restore, once the store has returned it.
    var target: TextBuffer?
    /// Whether the answer goes to another session than the first one that sent the push.
    var hasMoved = false
    /// How often the change was computed in the background.
    var rounds = 0

    package init(
        _ push: RoomPush, whole: NormalText?, isFirstOfPusher: Bool, wasAccepted: Bool = false
    ) {
        self.push = push
        self.whole = whole
        self.isFirstOfPusher = isFirstOfPusher
        self.wasAccepted = wasAccepted
        stage = .needsText(push.base)
    }

    /// How often a push is computed in the background while other pushes commit. After that, the other pushes
    /// wait for it. Otherwise an expensive push might never catch up with a busy document. Other documents
    /// are not affected. The number is not part of `Limits`, because a push beyond it is not refused.
    private static let mostRounds = 3

    /// Whether other pushes wait until this one is computed.
    var hasPriority: Bool { rounds > PendingPush.mostRounds }

    /// The push was sent again. The answer goes to the session that sent it last.
    mutating func repeated(_ other: RoomPush) {
        if push.session != other.session { hasMoved = true }
        push.session = other.session
        push.id = other.id
        push.wantsText = other.wantsText
        push.rights = other.rights
    }
}

/// What a push does to the document when its turn comes.
enum PushIntent: Equatable, Sendable {
    case change(Change)
    /// When the push's turn comes, the document gets this text, whatever text it has at that time. `found` is
    /// the change that leads to this text from the text at the revision in `ready`. It is nil unless it was
    /// computed in the background.
    case restore(TextBuffer, found: Change?)
}
