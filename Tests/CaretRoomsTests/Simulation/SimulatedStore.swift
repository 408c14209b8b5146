import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// The store and the workers of a room, in the hands of chance: what is asked is done some time later, and told later
/// still, in whatever order.
struct SimulatedStore {
    /// What was asked and is not answered.
    private struct Pending {
        let action: RoomAction
        var answer: RoomEvent?
        /// The highest revision that the answer tells of.
        var tells = Revision(0)
    }

    var model = StoreModel(generation: 1)
    let document: DocumentID
    private(set) var truth: LogTruth
    private var calls: [Pending] = []
    /// How often, of a thousand, a call fails.
    let troubles: Int

    init(troubles: Int) throws {
        self.troubles = troubles
        guard case .created(let entry) = model.create(try DocumentName("a"), at: 1) else {
            throw Unexpected(what: "the document was not created")
        }
        document = entry.id
        truth = LogTruth(epoch: entry.epoch)
    }

    var isQuiet: Bool { calls.isEmpty }

    mutating func ask(_ action: RoomAction) { calls.append(Pending(action: action)) }

    /// What was asked is answered to nobody any more. What was to be written may be.
    mutating func restart(_ random: inout Seeded) throws {
        while !calls.isEmpty {
            if random.chance(50), calls[0].action.storeCall?.writes == true { try run(0, at: 1, &random) }
            calls.removeFirst()
        }
    }

    /// Does one of the calls; whoever asked is told later.
    mutating func runOne(at time: Int64, _ random: inout Seeded) throws {
        let open = calls.indices.filter { calls[$0].answer == nil }
        if open.isEmpty { return }
        try run(random.pick(open), at: time, &random)
    }

    /// The answer of one of the calls that was done, and what it tells of; nil where there is none.
    mutating func takeAnswer(_ random: inout Seeded) -> (RoomAction, RoomEvent, Revision)? {
        let done = calls.indices.filter { calls[$0].answer != nil }
        if done.isEmpty { return nil }
        let call = calls.remove(at: random.pick(done))
        return call.answer.map { (call.action, $0, call.tells) }
    }

    private mutating func run(_ index: Int, at time: Int64, _ random: inout Seeded) throws {
        switch calls[index].action {
        case .call(let id, let call):
            calls[index].answer = .answered(id, try answer(call, at: time, &random))
            calls[index].tells = truth.head
        case .compute(let id, let work):
            calls[index].answer = .computed(id, work.done(checksum: crc32))
        case .send, .wake, .ended, .cut, .diverged, .notifyHub: break
        }
    }

    private mutating func answer(
        _ call: StoreCall, at time: Int64, _ random: inout Seeded
    ) throws -> StoreAnswer {
        let fails = random.number(0...999) < troubles
        if fails, case .append = call { return try unsureAppend(call, &random) }
        if fails { return failed(call) }
        let answer: StoreAnswer
        if case .read(let document, let revision, _) = call {
            let limit = random.pick([100, 400, 1 << 16])
            answer = model.answer(.read(document, after: revision, limit: limit))
        } else {
            answer = model.answer(call)
        }
        try follow()
        return answer
    }

    /// A store that cannot say what became of an append may have done it.
    private mutating func unsureAppend(_ call: StoreCall, _ random: inout Seeded) throws -> StoreAnswer {
        if random.chance(50) {
            _ = model.answer(call)
            try follow()
            return .appended(.unknown)
        }
        return .appended(random.pick([AppendOutcome.unknown, .unknown, .full, .failed]))
    }

    private func failed(_ call: StoreCall) -> StoreAnswer {
        switch call {
        case .appendLocked: .appendedLocked(missed: [], .unknown)
        case .rename, .delete: call.refused(.full)
        default: call.refused(.failed)
        }
    }

    // MARK: What others do

    /// Another server commits a change.
    mutating func commit(_ change: PushedChange) throws {
        _ = model.append([
            Append(document: document, epoch: truth.epoch, expected: truth.head, changes: [change])
        ])
        try follow()
    }

    /// Takes into the truth what the store has.
    private mutating func follow() throws {
        guard let head = try? model.entry(of: document).get().head, head > truth.head else { return }
        let reading = try model.read(document, after: truth.head, limit: .max).get()
        for change in reading.segment.changes { try truth.append(change) }
    }
}
