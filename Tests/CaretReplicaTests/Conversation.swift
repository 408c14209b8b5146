import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

/// A replica, what its owner and the server do to it, and what it wants done: one line each.
struct Conversation {
    private(set) var replica: Replica

    init(firstSeq: Seq = 1, mode: DocumentMode = .edit) { replica = Replica(firstSeq: firstSeq, mode: mode) }

    /// One that has the document open in epoch "e", with nothing unsaved.
    static func opened(
        _ text: String = "", at revision: Revision = 1, rights: Rights = .write, mode: DocumentMode = .edit
    ) throws -> Conversation {
        var talk = Conversation(mode: mode)
        _ = talk.connect()
        _ = talk.hear(.opened(text, at: revision, rights: rights))
        return talk
    }

    mutating func type(_ edits: Edit...) throws -> [Action] {
        try happens { try $0.typed(SampleChange.change(edits)) }
    }

    mutating func select(_ selections: Selection...) throws -> [Action] {
        try happens { try $0.selected(selections) }
    }

    mutating func hear(_ message: ServerMessage) -> [Action] {
        happens { replica in
            do { return try replica.received(message) } catch {
                Issue.record(error)
                return []
            }
        }
    }

    mutating func refuseOpen(_ refusal: Refusal, after time: Milliseconds? = nil) -> [Action] {
        happens { $0.openRefused(ErrorReport(refusal, after: time)) }
    }

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

extension Action {
    static func push(_ seq: Seq, base: Revision, epoch: WireString = "e", _ edits: Edit...) -> Action {
        .push(
            SentPush(
                place: WirePosition(epoch: epoch, revision: base), seq: seq,
                change: SampleChange.change(edits)))
    }

    static func open(from revision: Revision) -> Action {
        .open(from: WirePosition(epoch: "e", revision: revision), as: .edit)
    }

    static var openWhole: Action { .open(from: nil, as: .edit) }

    static func edit(_ edits: Edit...) -> Action { .edit(SampleChange.change(edits)) }
}
