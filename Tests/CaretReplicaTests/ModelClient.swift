import CaretCore
import CaretReplica
import CaretWire
import TestSupport

/// A failure of a run.
struct Fault: Error, CustomStringConvertible {
    let description: String
}

/// A user with a text view. The client applies the replica's edits to the view, and sends nothing.
struct ModelClient {
    private(set) var replica: Replica
    /// The view in UTF-16 code units. `isOwn` marks the units that this user inserted.
    private var view: [(unit: UInt16, isOwn: Bool)] = []
    /// The state that the user saw last.
    private var state = SavingState.opening
    /// How many undos and redos the user made.
    private(set) var undos = 0

    init(mode: DocumentMode) { replica = Replica(mode: mode) }

    mutating func connect() throws { try handle { $0.connected() } }
    mutating func disconnect() throws { try handle { $0.disconnected() } }
    mutating func wake() throws { try handle { $0.timePassed() } }
    mutating func retry() throws { try handle { $0.retry() } }
    mutating func discard() throws { try handle { $0.discard() } }
    mutating func receive(_ message: ServerMessage) throws { try handle { try $0.received(message) } }
    mutating func openRefused(_ error: ErrorReport) throws { try handle { $0.openRefused(error) } }

    mutating func type(_ random: inout Seeded) throws {
        var change = SampleChange.make(for: replica.text, upTo: random.pick([1, 1, 1, 3]), &random)
        if replica.text.length.utf16 > 80 || random.chance(20) {
            change = SampleChange.change(change.edits.map { removal($0.range) })
        }
        try make(change, isOwn: true)
        let pause = random.pick([Milliseconds?.none, 100, 5_000])
        try handle { try $0.typed(change, after: pause) }
    }

    private func removal(_ range: Range<Offset>) -> Edit {
        SampleChange.edit(range.lowerBound.value, range.upperBound.value, "")
    }

    /// Undoes or redoes a step, and checks that this removes no text of others.
    mutating func undo(again: Bool) throws {
        let actions = again ? replica.redo() : replica.undo()
        for case .edit(let change) in actions {
            undos += 1
            for edit in change.edits where !view[range(of: edit)].allSatisfy(\.isOwn) {
                throw Fault(description: "an undo removes text that another client inserted")
            }
        }
        try run(actions, isOwn: true)
    }

    mutating func select(_ random: inout Seeded) throws {
        let boundaries = SampleChange.scalarBoundaries(of: replica.text.string)
        let selections = (0..<random.number(0...2)).map { _ in
            Selection(anchor: Offset(random.pick(boundaries)), head: Offset(random.pick(boundaries)))
        }
        try handle { try $0.selected(selections) }
    }

    private mutating func handle(_ body: (inout Replica) throws -> [ReplicaAction]) throws {
        try run(body(&replica))
    }

    private mutating func run(_ actions: [ReplicaAction], isOwn: Bool = false) throws {
        try replica.checkInvariants()
        for action in actions {
            switch action {
            case .open, .close, .push, .select, .reportDivergence, .showPeers, .retry, .rename: break
            case .edit(let change): try make(change, isOwn: isOwn)
            case .show(let state): self.state = state
            }
        }
    }

    private mutating func make(_ change: Change, isOwn: Bool) throws {
        for edit in change.edits.reversed() {
            let range = range(of: edit)
            if range.upperBound > view.count { throw Fault(description: "an edit does not fit the view") }
            view.replaceSubrange(range, with: edit.text.utf16.map { ($0, isOwn) })
        }
    }

    private func range(of edit: Edit) -> Range<Int> {
        edit.range.lowerBound.value..<edit.range.upperBound.value
    }

    /// Checks rules that must hold, whatever the server sends.
    func check() throws {
        if Array(replica.text.string.utf16) != view.map(\.unit) {
            throw Fault(description: "the text differs from the view")
        }
        let offsets = (replica.selections + replica.peers.flatMap(\.selections)).flatMap {
            [$0.anchor, $0.head]
        }
        if let offset = offsets.first(where: { !replica.text.isScalarBoundary($0) }) {
            throw Fault(description: "a selection is inside a scalar: \(offset)")
        }
        if state != replica.state {
            throw Fault(description: "the user sees another state than the replica has")
        }
        if state == .saved, replica.hasUnsaved {
            throw Fault(description: "the state is `saved`, but some text is unsaved")
        }
    }
}
