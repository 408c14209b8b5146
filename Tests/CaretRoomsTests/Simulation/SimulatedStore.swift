import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

/// The store and the workers of a room, in the hands of chance: what is asked is done some time later, and told later
/// still, in whatever order.
struct SimulatedStore {
    /// What was asked and is not answered.
    private struct Call {
        let action: RoomAction
        var answer: RoomNews?
        /// The highest revision that the answer tells of.
        var tells = Revision(0)
    }

    var model = StoreModel(generation: 1)
    let document: DocumentID
    private(set) var truth: LogTruth
    private var calls: [Call] = []
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

    mutating func ask(_ action: RoomAction) { calls.append(Call(action: action)) }

    /// What was asked is answered to nobody any more. What was to be written may be.
    mutating func restart(_ random: inout Seeded) throws {
        while !calls.isEmpty {
            if random.chance(50), calls[0].action.writes { try run(0, at: 1, &random) }
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
    mutating func takeAnswer(_ random: inout Seeded) -> (RoomAction, RoomNews, Revision)? {
        let done = calls.indices.filter { calls[$0].answer != nil }
        if done.isEmpty { return nil }
        let call = calls.remove(at: random.pick(done))
        return call.answer.map { (call.action, $0, call.tells) }
    }

    private mutating func run(_ index: Int, at time: Int64, _ random: inout Seeded) throws {
        let action = calls[index].action
        if random.number(0...999) < troubles, let answer = failed(action, &random) {
            // Whoever cannot say may have done it.
            if case .append = action, random.chance(50) {
                _ = model.done(action, of: document, at: time)
                try follow()
                calls[index].answer = { $0.appended(.unknown) }
            } else {
                calls[index].answer = answer
            }
            return
        }
        let limit = random.pick([100, 400, 1 << 16])
        calls[index].answer = model.done(action, of: document, readLimit: limit, at: time)
        try follow()
        calls[index].tells = truth.head
    }

    private func failed(_ action: RoomAction, _ random: inout Seeded) -> RoomNews? {
        switch action {
        case .append:
            let outcome = random.pick([AppendOutcome.unknown, .unknown, .full, .failed])
            return { $0.appended(outcome) }
        case .appendLocked: return { $0.appendedLocked(missed: [], .unknown) }
        case .lookUp(let pusher): return { $0.pusherFound(pusher, .failure(.failed)) }
        case .read(let revision): return { $0.historyRead(after: revision, .failure(.refused(.failed))) }
        case .readText(let revision): return { $0.textRead(revision, .failure(.refused(.failed))) }
        case .rename: return { $0.renamed(.refused(.full)) }
        case .delete: return { $0.deleted(.failure(.full)) }
        case .reload: return { $0.reloadFailed(.failed) }
        case .renewEpochs: return { $0.epochsRenewed(.failure(.failed)) }
        case .compute, .sum, .send, .wake, .ended, .cut, .diverged, .unload,
            .pushesSettled:
            return nil
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

extension RoomAction {
    /// It is done by a store, whether or not anybody waits for it.
    fileprivate var writes: Bool {
        switch self {
        case .append, .appendLocked, .rename, .delete, .renewEpochs: true
        case .send, .lookUp, .read, .readText, .reload, .compute, .sum, .wake, .ended, .cut, .diverged,
            .unload, .pushesSettled:
            false
        }
    }
}
