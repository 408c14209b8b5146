import CaretCore
package import CaretLog
import CaretWire

/// The pushes of a segment, and how to rebase them over changes that others committed meanwhile. A value, so
/// that the store can rebase while it holds its lock.
package struct SegmentPlan: Equatable, Sendable {
    struct Member: Equatable, Sendable {
        let push: RoomPush
        /// If it is a change, it was made at the head.
        let intent: PushIntent
        let whole: NormalText?
    }

    let head: Snapshot
    /// No revision is earlier than the previous one.
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

    /// The changes to append after the head and these changes of others.
    package func changes(after missed: [LoggedChange]) -> [PushedChange] { draft(after: missed).changes }

    func draft(after missed: [LoggedChange]) -> SegmentDraft {
        var draft = SegmentDraft(head, time: time, limits: limits)
        // A change that does not fit the text means damage. The room finds it when it applies the change.
        guard draft.add(missed) else { return SegmentDraft(head, time: time, limits: limits) }
        for member in members { draft.add(member) }
        return draft
    }
}

/// A segment under construction: its changes so far, and the resulting text and revision.
package struct SegmentDraft: Sendable {
    package enum Outcome: Sendable {
        /// It becomes this revision.
        case committed(Committed)
        /// It changes nothing in this text.
        case unchanged(Snapshot)
        /// The document would grow to this size, which exceeds the limit.
        case tooLarge(bytes: Int)
        /// Another push of its pusher was committed elsewhere. The room must validate it again.
        case overtaken
    }

    private let limits: Limits.Announced
    private var text: Text
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
            // The reason is not needed here: the room finds it when it applies the change.
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
        // Two machines that sync the same file must not double it.
        if let whole = member.whole, whole.text == text { return .unchanged(here) }
        let change = self.change(of: member.intent)
        if change.isEmpty { return .unchanged(here) }
        guard let next = try? text.applying(change) else {
            preconditionFailure(
                "a change that was rebased to revision \(revision.value) does not fit its text")
        }
        if next.length.utf8 > limits.document, next.length.utf8 > text.length.utf8 {
            return .tooLarge(bytes: next.length.utf8)
        }
        if let whole = member.whole?.lineBreak { lineBreak = whole }
        // Its edits are joined until they fit on one line for every client.
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

    private mutating func append(_ push: RoomPush, _ change: Change, making next: Text) -> Committed {
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
    /// The store could not say whether it is on disk.
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
