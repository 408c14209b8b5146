import CaretCore
import CaretReplica
import CaretWire
import TestSupport

/// What is wrong with a run.
struct Fault: Error, CustomStringConvertible {
    let description: String
}

/// A person with a text view and a connection, as the replica's owner sees to them.
struct ModelClient {
    private(set) var replica: Replica
    /// What the text view shows, in UTF-16 code units, and of each whether this person has put it there.
    private var view: [(unit: UInt16, isOwn: Bool)] = []
    /// What the person was told last.
    private var state = SavingState.opening
    /// What is on its way to the server.
    var outgoing: [Request] = []
    private(set) var isConnected = false
    private(set) var isWakeDue = false
    private(set) var name = 0
    /// Opens that were sent and not answered.
    private var opens = 0
    /// Pushes that were sent more than once.
    private(set) var repeats = 0
    private var sent: Seq = 0
    /// How often it closed the document to open it again.
    private(set) var reopenings = 0
    /// The server has just said something wrong of the text.
    private var isAccused = false
    /// It has called the server's text another one.
    private var accusesFalsely = false

    /// Who only watches does not type.
    let types: Bool

    /// What a test has planted.
    private let fault: PlantedFault?
    /// How often something was undone or redone.
    private(set) var undos = 0

    init(mode: DocumentMode, fault: PlantedFault? = nil) {
        replica = Replica(mode: mode)
        types = mode == .edit
        self.fault = fault
    }

    mutating func connect() throws {
        isConnected = true
        try happens { $0.connected() }
    }

    mutating func cutOff() throws {
        isConnected = false
        outgoing = []
        opens = 0
        try happens(.cutOff) { $0.cutOff() }
    }

    mutating func receive(_ said: Envelope<ServerMessage>, nameNow: Int) throws {
        if said.answersAnOpen {
            opens -= 1
            if opens > 0 { return }
        }
        if case .error(let error) = said.message, said.answersAnOpen {
            try happens { $0.openRefused(error) }
            // The person looks the document up, and finds it under its new name.
            if Refusal(error.code) == .notFound, name != nameNow {
                name = nameNow
                try happens { $0.retry() }
            }
            return
        }
        if case .check(let check) = said.message { isAccused = check.length < 0 }
        defer { isAccused = false }
        try happens(.received(said.message)) { try $0.received(said.message) }
    }

    mutating func wake() throws {
        isWakeDue = false
        try happens { $0.timePassed() }
    }

    mutating func retry() throws { try happens { $0.retry() } }

    mutating func discard(_ markers: inout Markers) throws {
        markers.giveUp(replica.draft.inFlight)
        markers.giveUp(replica.draft.unsent)
        if let push = replica.inFlight?.push { markers.giveUp(push.change) }
        // What a committed text had is back; only what stood in unsaved edits is gone.
        try happens { $0.discard() }
    }

    mutating func type(_ markers: inout Markers, _ random: inout Seeded) throws {
        var change = SampleChange.make(for: replica.text, upTo: random.pick([1, 1, 1, 3]), &random)
        if replica.text.length.utf16 > 80 || random.chance(20) {
            change = SampleChange.change(change.edits.map { edit in removal(edit.range) })
        }
        if random.chance(60) {
            let place = random.pick(SampleChange.scalarBoundaries(of: replica.text.string))
            change = SampleChange.change([SampleChange.edit(place, place, markers.next())])
        }
        markers.remove(change, from: replica.text)
        try make(change, isOwn: true)
        let pause = random.pick([Milliseconds?.none, 100, 5_000])
        try happens { try $0.typed(change, after: pause) }
    }

    /// Takes back, or brings back, and looks that nobody else's text is touched.
    mutating func undo(_ markers: inout Markers, again: Bool) throws {
        let before = replica
        let actions = again ? replica.redo() : replica.undo()
        if actions.contains(where: \.bringsBackAMarker) {
            // One that stands twice, since two have brought it back, would be taken for one that was doubled.
            replica = before
            replica.own = OwnChanges()
            return
        }
        for case .edit(let change) in actions {
            undos += 1
            markers.remove(change, from: before.text)
            for edit in change.edits {
                let removed = view[edit.range.lowerBound.value..<edit.range.upperBound.value]
                if !removed.allSatisfy(\.isOwn) {
                    throw Fault(description: "an undo takes back what somebody else has put there")
                }
            }
        }
        try run(actions, isOwn: true)
    }

    private func removal(_ range: Range<Offset>) -> Edit {
        SampleChange.edit(range.lowerBound.value, range.upperBound.value, "")
    }

    mutating func select(_ random: inout Seeded) throws {
        let boundaries = SampleChange.scalarBoundaries(of: replica.text.string)
        let selections = (0..<random.number(0...2)).map { _ in
            Selection(anchor: Offset(random.pick(boundaries)), head: Offset(random.pick(boundaries)))
        }
        try happens { try $0.selected(selections) }
    }

    /// Does what an event leads to, or what a planted fault makes of it.
    private mutating func happens(
        _ event: PlantedFault.Event = .other, _ body: (inout Replica) throws -> [Action]
    ) throws {
        guard let fault else { return try run(body(&replica)) }
        let before = replica
        let actions = try body(&replica)
        var turn = PlantedFault.Turn(event: event, before: before, replica: replica, actions: actions)
        fault.spoil(&turn)
        replica = turn.replica
        try run(turn.actions)
    }

    private mutating func run(_ actions: [Action], isOwn: Bool = false) throws {
        try replica.checkInvariants()
        for action in actions {
            switch action {
            case .open(let place, let mode):
                opens += 1
                ask(.open(place, mode, name: name))
            case .close:
                reopenings += 1
                ask(.close)
            case .push(let push): ask(push)
            case .select(let revision, let selections): ask(.select(revision, selections))
            case .reportDivergence: if !isAccused { accusesFalsely = true }
            case .showPeers: break
            case .retry: isWakeDue = true
            case .edit(let change): try make(change, isOwn: isOwn)
            case .show(let state): self.state = state
            case .rename(let name): self.name = Int(name.string) ?? 0
            }
        }
    }

    private mutating func ask(_ push: SentPush) {
        if push.seq <= sent { repeats += 1 }
        sent = max(sent, push.seq)
        ask(.push(push))
    }

    private mutating func ask(_ request: Request) {
        if isConnected { outgoing.append(request) }
    }

    private mutating func make(_ change: Change, isOwn: Bool) throws {
        for edit in change.edits.reversed() {
            let range = edit.range.lowerBound.value..<edit.range.upperBound.value
            if range.upperBound > view.count { throw Fault(description: "an edit does not fit the view") }
            view.replaceSubrange(range, with: edit.text.utf16.map { ($0, isOwn) })
        }
    }

    /// What holds beside a server that keeps the protocol.
    func check(against server: ModelServer) throws {
        try check()
        if let place = replica.place, server.text(at: place) != replica.committed {
            throw Fault(description: "the committed text is not the server's")
        }
        // A replica that begins anew is healed, and its texts are equal all the same.
        if accusesFalsely { throw Fault(description: "the server's text is called another") }
        if Markers.isAnyDoubled(in: replica.text) { throw Fault(description: "a marker is seen twice") }
    }

    /// What holds whatever the server says.
    func check() throws {
        if Array(replica.text.string.utf16) != view.map(\.unit) {
            throw Fault(description: "the edits do not give the view")
        }
        let places = (replica.selections + replica.peers.flatMap(\.selections)).flatMap {
            [$0.anchor, $0.head]
        }
        if let place = places.first(where: { !replica.text.isScalarBoundary($0) }) {
            throw Fault(description: "a selection has no place: \(place)")
        }
        if state != replica.state { throw Fault(description: "another state is shown than told") }
        if state == .saved, replica.hasUnsaved { throw Fault(description: "unsaved text is called saved") }
    }
}

extension Action {
    fileprivate var bringsBackAMarker: Bool {
        guard case .edit(let change) = self else { return false }
        return !Markers.found(in: change).isEmpty
    }
}

extension Envelope<ServerMessage> {
    /// An error with an id is one about an open.
    var answersAnOpen: Bool {
        switch message {
        case .opened: true
        case .error: id != nil
        default: false
        }
    }
}
