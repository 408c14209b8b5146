import CaretCore
package import CaretLog
import CaretWire

/// The pushes of a segment, and how to rebase them over changes that others committed meanwhile. It is a
/// value type, so the store can rebase the pushes while it holds its lock.
package struct SegmentPlan: Equatable, Sendable {
    struct Member: Equatable, Sendable {
        let push: RoomPush
        /// If the intent is a change, that change applies to the head.
        let intent: PushIntent
        let whole: NormalText?
    }

    let head: Snapshot
    /// The time of the head. No later revision may have an earlier time.
    let time: Int64
    let limits: Limits.Announced
    private(set) var members: [Member] = []
    /// The cost of rebasing each push over all earlier ones: pushes times edits.
    private(set) var work = 0

    init(_ head: Snapshot, time: Int64, limits: Limits.Announced) {
        self.head = head
        self.time = time
        self.limits = limits
    }

    mutating func add(_ member: Member) {
        members.append(member)
        if case .change(let change) = member.intent { work += members.count * (change.edits.count + 1) }
    }

    /// The changes to append, rebased over `missed`: the changes that others committed after the head.
    package func changes(after missed: [LoggedChange]) -> [PushedChange] { draft(after: missed).changes }

    func draft(after missed: [LoggedChange]) -> SegmentDraft {
        var draft = SegmentDraft(head, time: time, limits: limits)
        // If a change does not fit the text, the log is damaged. The room reports that when it applies the
        // change.
        guard draft.add(missed) else { return SegmentDraft(head, time: time, limits: limits) }
        for member in members { draft.add(member) }
        return draft
    }
}

/// A segment under construction: its changes so far, and the resulting text and revision.
package struct SegmentDraft: Sendable {
    package enum Outcome: Sendable {
        /// The push becomes this revision.
        case committed(Committed)
        /// The push changes nothing in this text.
        case unchanged(Snapshot)
        /// The push changes nothing in this text, and in none of the later ones.
        case withoutEffect(Snapshot)
        /// The document would grow to this size, which exceeds the limit.
        case tooLarge(bytes: Int)
        /// The push is exact, and its base is not the head.
        case baseBehind
        /// Another writer committed a push of the same pusher. The room must validate this push again.
        case overtaken
    }

    private let limits: Limits.Announced
    private var text: TextBuffer
    private var revision: Revision
    private var time: Int64
    /// The changes after the head so far. Each member is rebased over them.
    private var precedingChanges: [Change] = []
    private var missedPushers: Set<Pusher> = []
    private(set) var changes: [PushedChange] = []
    package private(set) var outcomes: [(pusher: Pusher, outcome: Outcome)] = []
    private(set) var lineBreak: LineBreak?

    init(_ head: Snapshot, time: Int64, limits: Limits.Announced) {
        text = head.text
        revision = head.revision
        self.time = time
        self.limits = limits
    }

    /// Adds changes that others committed. Returns false if one does not fit the text.
    mutating func add(_ missed: [LoggedChange]) -> Bool {
        for logged in missed {
            // The error is ignored here, because the room reports it when it applies the change.
            guard let change = try? logged.change, (try? text.apply(change)) != nil else { return false }
            precedingChanges.append(change)
            missedPushers.insert(logged.pusher)
            revision = revision.next
            time = max(time, logged.time)
        }
        return true
    }

    mutating func add(_ member: SegmentPlan.Member) {
        outcomes.append((member.push.pusher, outcome(of: member)))
    }

    private mutating func outcome(of member: SegmentPlan.Member) -> Outcome {
        if missedPushers.contains(member.push.pusher) { return .overtaken }
        // Two clients may push the same whole text, for example when they sync the same file. The text must
        // not be inserted twice.
        if let whole = member.whole, whole.text == text { return .unchanged(here) }
        if member.push.isExact, member.push.base < revision { return .baseBehind }
        let change = self.change(of: member.intent)
        if change.isEmpty {
            return if case .change = member.intent { .withoutEffect(here) } else { .unchanged(here) }
        }
        guard let next = try? text.applying(change) else {
            preconditionFailure(
                "a change rebased to revision \(revision.value) does not fit the text of that revision")
        }
        if next.length.utf8 > limits.document, next.length.utf8 > text.length.utf8 {
            return .tooLarge(bytes: next.length.utf8)
        }
        if let whole = member.whole?.lineBreak { lineBreak = whole }
        // Edits are joined until they fit on one line for every client.
        let joined = change.joined(making: next, toBytes: limits.serverList)
        return .committed(append(member.push, joined, making: next))
    }

    private var here: Snapshot { Snapshot(revision: revision, text: text) }

    private func change(of intent: PushIntent) -> Change {
        switch intent {
        case .change(let change): change.rebased(over: precedingChanges, tie: .otherFirst)
        case .restore(_, let found?) where precedingChanges.isEmpty: found
        case .restore(let target, _):
            ChangeWork.diff(from: text, to: target, atMost: limits.edits).done()
        }
    }

    private mutating func append(_ push: RoomPush, _ change: Change, making next: TextBuffer) -> Committed {
        time = max(time, push.time)
        let logged = LoggedChange(
            pusher: push.pusher, seq: push.seq, time: time, edits: change.logged(in: text))
        revision = revision.next
        text = next
        precedingChanges.append(change)
        changes.append(PushedChange(logged, digest: push.digest))
        return Committed(revision: revision, logged: logged, change: change, text: next)
    }
}

/// A segment whose append is unanswered.
package struct SegmentInFlight: Sendable {
    let append: Append
    let plan: SegmentPlan
    package let draft: SegmentDraft
    /// Whether the store could not tell if the segment is on disk.
    package var isUncertain = false

    /// The change of the segment at a revision, if the log has exactly that change there.
    func change(matching logged: LoggedChange, at revision: Revision) -> PushedChange? {
        let index = revision.value - append.expected.value - 1
        guard append.changes.indices.contains(index), append.changes[index].logged == logged else {
            return nil
        }
        return append.changes[index]
    }
}
