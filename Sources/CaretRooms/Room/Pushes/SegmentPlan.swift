import CaretCore
package import CaretLog
import CaretWire

/// What a segment is made of: pushes behind a head, and how their changes are made anew behind what others committed
/// meanwhile. A value of its own, so that the store can ask it under its lock.
package struct SegmentPlan: Equatable, Sendable {
    struct Member: Equatable, Sendable {
        let push: RoomPush
        /// Where it is a change, one of the head.
        let intent: PushIntent
        let whole: NormalText?
    }

    let head: Snapshot
    /// No revision is earlier than the one before it.
    let time: Int64
    let limits: Limits.Announced
    private(set) var members: [Member] = []
    /// How much it takes to make a segment of it: each push is moved over all before it.
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

    /// What is to be appended behind the head and these changes.
    package func changes(behind missed: [LoggedChange]) -> [PushedChange] { draft(behind: missed).changes }

    func draft(behind missed: [LoggedChange]) -> SegmentDraft {
        var draft = SegmentDraft(head, time: time, limits: limits)
        // What does not fit the text is damage, which the room finds as soon as it takes it in.
        guard draft.pass(missed) else { return SegmentDraft(head, time: time, limits: limits) }
        for member in members { draft.add(member) }
        return draft
    }
}

/// A segment while it is put together: the text and the revision that it leads to so far.
package struct SegmentDraft: Sendable {
    package enum Verdict: Sendable {
        /// It becomes this revision.
        case committed(Committed)
        /// It comes to nothing behind this text.
        case unchanged(Snapshot)
        /// The document would have so many bytes.
        case tooLarge(bytes: Int)
        /// Its pusher has pushed elsewhere: it is to be judged anew.
        case overtaken
    }

    private let limits: Limits.Announced
    private var text: Text
    private var revision: Revision
    private var time: Int64
    /// What the changes of members are moved over.
    private var passed: [Change] = []
    private var passedPushers: Set<Pusher> = []
    private(set) var changes: [PushedChange] = []
    package private(set) var verdicts: [(pusher: Pusher, verdict: Verdict)] = []
    private(set) var lineBreak: LineBreak?

    init(_ head: Snapshot, time: Int64, limits: Limits.Announced) {
        text = head.text
        revision = head.revision
        self.time = time
        self.limits = limits
    }

    /// Goes on to the text behind what others committed; false where that does not fit.
    mutating func pass(_ missed: [LoggedChange]) -> Bool {
        for logged in missed {
            // Whatever does not fit, and why, is found where it is taken in.
            guard let change = try? logged.change, (try? text.apply(change)) != nil else { return false }
            passed.append(change)
            passedPushers.insert(logged.pusher)
            revision = revision.next
            time = max(time, logged.time)
        }
        return true
    }

    mutating func add(_ member: SegmentPlan.Member) {
        verdicts.append((member.push.pusher, verdict(on: member)))
    }

    private mutating func verdict(on member: SegmentPlan.Member) -> Verdict {
        if passedPushers.contains(member.push.pusher) { return .overtaken }
        // Two machines that sync one file must not double it.
        if let whole = member.whole, whole.text == text { return .unchanged(here) }
        let change = self.change(of: member.intent)
        if change.isEmpty { return .unchanged(here) }
        guard let next = try? text.applying(change) else {
            preconditionFailure("a change that was moved to revision \(revision.value) does not fit its text")
        }
        if next.length.utf8 > limits.document, next.length.utf8 > text.length.utf8 {
            return .tooLarge(bytes: next.length.utf8)
        }
        if let whole = member.whole?.lineBreak { lineBreak = whole }
        // However it came about, everybody can be told of it in one line.
        let joined = change.joined(making: next, toBytes: limits.serverList)
        return .committed(append(member.push, joined, making: next))
    }

    private var here: Snapshot { Snapshot(revision: revision, text: text) }

    private func change(of intent: PushIntent) -> Change {
        switch intent {
        case .change(let change): change.rebased(over: passed, tie: .otherFirst)
        case .restore(_, let found?) where passed.isEmpty: found
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
        passed.append(change)
        changes.append(PushedChange(logged, digest: push.digest))
        return Committed(revision: revision, logged: logged, change: change, text: next)
    }
}

/// What is being appended.
package struct SegmentInFlight: Sendable {
    let append: Append
    let plan: SegmentPlan
    package let draft: SegmentDraft
    /// It may or may not be on disk.
    package var isUncertain = false

    /// The draft's revision, if it is exactly what the log has there.
    func holds(_ logged: LoggedChange, at revision: Revision) -> PushedChange? {
        let index = revision.value - append.expected.value - 1
        guard append.changes.indices.contains(index), append.changes[index].logged == logged else {
            return nil
        }
        return append.changes[index]
    }
}
