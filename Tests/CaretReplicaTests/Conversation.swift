import CaretCore
import CaretReplica
import TestSupport
import Testing

/// A replica, what its owner and the server do to it, and what it wants done: one line each.
struct Conversation {
    private(set) var replica: Replica

    init(firstSeq: Seq = 1, mode: Mode = .edit) { replica = Replica(firstSeq: firstSeq, mode: mode) }

    /// One that has the document open in epoch "e", with nothing unsaved.
    static func opened(
        _ text: String = "", at revision: Revision = 1, rights: Rights = .write, mode: Mode = .edit
    ) throws -> Conversation {
        var talk = Conversation(mode: mode)
        _ = talk.connect()
        _ = talk.hear(try .opened(text, at: revision, rights: rights))
        return talk
    }

    mutating func type(_ edits: Edit...) throws -> [Action] {
        try happens { try $0.typed(SampleChange.change(edits)) }
    }

    mutating func select(_ selections: Selection...) throws -> [Action] {
        try happens { try $0.selected(selections) }
    }

    mutating func hear(_ message: Message) -> [Action] { happens { $0.received(message) } }
    mutating func connect() -> [Action] { happens { $0.connected() } }
    mutating func cutOff() -> [Action] { happens { $0.cutOff() } }
    mutating func wait() -> [Action] { happens { $0.timePassed() } }
    mutating func retry() -> [Action] { happens { $0.retry() } }
    mutating func discard() -> [Action] { happens { $0.discard() } }

    /// Passes an event to the replica and checks that the invariants hold after it.
    private mutating func happens(_ event: (inout Replica) throws -> [Action]) rethrows -> [Action] {
        let actions = try event(&replica)
        do { try replica.checkInvariants() } catch { Issue.record(error) }
        return actions
    }

    var text: String { replica.text.string }
    var committed: String { replica.committed.string }
}

/// The edit that puts `text` in place of what stands from one offset to another.
func edit(_ start: Int, _ end: Int, _ text: String) -> Edit { SampleChange.edit(start, end, text) }

extension Message {
    static func opened(
        _ text: String, epoch: String = "e", at revision: Revision, rights: Rights = .write,
        own: OwnPush? = nil, peers: [Peer] = []
    ) throws -> Message {
        .opened(
            Opened(
                place: Place(epoch: Epoch(epoch), revision: revision), content: .text(try Text(text)),
                rights: rights, own: own, peers: peers))
    }

    static func resumed(at revision: Revision, own: OwnPush? = nil, peers: [Peer] = []) -> Message {
        .opened(
            Opened(
                place: Place(epoch: Epoch("e"), revision: revision), content: .resumed, rights: .write,
                own: own, peers: peers))
    }

    static func resynced(
        _ text: String, epoch: String = "e", at revision: Revision, own: OwnPush? = nil
    ) throws -> Message {
        .resynced(
            Resync(place: Place(epoch: Epoch(epoch), revision: revision), text: try Text(text), own: own))
    }

    static func changed(_ revision: Revision, from: Revision? = nil, _ edits: Edit...) -> Message {
        .changed(CommittedChange(revision: revision, from: from, edits: edits))
    }

    static func acked(
        _ seq: Seq, _ revision: Revision, _ edits: [Edit]? = nil, kind: Ack.Kind = .committed
    ) -> Message {
        .acked(Ack(seq: seq, revision: revision, edits: edits, kind: kind))
    }

    static func refused(_ seq: Seq, _ refusal: Refusal, after time: Milliseconds? = nil) -> Message {
        .pushRefused(seq, refusal, retryAfter: time)
    }

    static func peer(_ session: String, _ revision: Revision, _ selections: Selection...) -> Message {
        .peer(Peer(session: SessionID(session), selections: selections), at: revision)
    }
}

extension Action {
    static func push(_ seq: Seq, base: Revision, epoch: String = "e", _ edits: Edit...) -> Action {
        .push(
            Push(
                place: Place(epoch: Epoch(epoch), revision: base), seq: seq,
                change: SampleChange.change(edits)))
    }

    static func open(from revision: Revision) -> Action {
        .open(from: Place(epoch: Epoch("e"), revision: revision), as: .edit)
    }

    static var openWhole: Action { .open(from: nil, as: .edit) }

    static func edit(_ edits: Edit...) -> Action { .edit(SampleChange.change(edits)) }
}
