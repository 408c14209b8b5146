import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

/// A replica in a test. Each event of the user or the server is one call that returns the replica's actions.
struct Conversation {
    private(set) var replica: Replica

    init(firstSeq: Seq = 1, mode: DocumentMode = .edit) { replica = Replica(firstSeq: firstSeq, mode: mode) }

    /// A replica that has the document open in epoch "e", with nothing unsaved.
    static func opened(
        _ text: String = "", at revision: Revision = 1, rights: Rights = .write, mode: DocumentMode = .edit
    ) throws -> Conversation {
        var talk = Conversation(mode: mode)
        _ = talk.connect()
        _ = talk.receive(.opened(text, at: revision, rights: rights))
        return talk
    }

    mutating func type(_ edits: Edit...) throws -> [ReplicaAction] {
        try handle { try $0.typed(SampleChange.change(edits)) }
    }

    mutating func select(_ selections: Selection...) throws -> [ReplicaAction] {
        try handle { try $0.selected(selections) }
    }

    mutating func receive(_ message: ServerMessage) -> [ReplicaAction] {
        handle { replica in
            do { return try replica.received(message) } catch {
                Issue.record(error)
                return []
            }
        }
    }

    mutating func refuseOpen(_ refusal: Refusal, after time: Milliseconds? = nil) -> [ReplicaAction] {
        handle { $0.openRefused(ErrorReport(refusal, after: time)) }
    }

    mutating func connect() -> [ReplicaAction] { handle { $0.connected() } }
    mutating func disconnect() -> [ReplicaAction] { handle { $0.disconnected() } }
    mutating func wait() -> [ReplicaAction] { handle { $0.timePassed() } }
    mutating func retry() -> [ReplicaAction] { handle { $0.retry() } }
    mutating func discard() -> [ReplicaAction] { handle { $0.discard() } }

    /// Passes an event to the replica, and checks its invariants afterwards.
    private mutating func handle(_ event: (inout Replica) throws -> [ReplicaAction]) rethrows
        -> [ReplicaAction]
    {
        let actions = try event(&replica)
        do { try replica.checkInvariants() } catch { Issue.record(error) }
        return actions
    }

    var text: String { replica.text.string }
    var committed: String { replica.committed.string }
}

/// The edit that replaces the text from `start` to `end`.
func edit(_ start: Int, _ end: Int, _ text: String) -> Edit { SampleChange.edit(start, end, text) }

extension ReplicaAction {
    static func push(_ seq: Seq, base: Revision, epoch: WireString = "e", _ edits: Edit...) -> ReplicaAction {
        .push(
            SentPush(
                position: WirePosition(epoch: epoch, revision: base), seq: seq,
                change: SampleChange.change(edits)))
    }

    static func open(from revision: Revision) -> ReplicaAction {
        .open(from: WirePosition(epoch: "e", revision: revision), as: .edit)
    }

    static var openFullText: ReplicaAction { .open(from: nil, as: .edit) }

    static func edit(_ edits: Edit...) -> ReplicaAction { .edit(SampleChange.change(edits)) }
}
