import CaretCore
import CaretLog
import CaretReplica
import CaretRooms
import CaretWire
import TestSupport

/// Calls of rooms and of the hub to the store, and the store's answers.
extension World {
    /// Delays a call to the store, and then its answer.
    func make(_ call: StoreCall, _ server: ServerRun, then answered: @escaping (StoreAnswer) -> Void) {
        switch call {
        case .append(let append):
            referee.mayAppend(append)
            server.needsNoLock.remove(append.document)
            if fault.acksEarly {
                let head = Revision(append.expected.value + append.changes.count)
                answered(.appended(.committed(head: head)))
            }
        case .appendLocked(let append, _):
            referee.mayAppend(append)
            if server.needsNoLock.contains(append.document) {
                fail(.lock, "a room appends under the lock again, although it missed nothing the last time")
            }
        case .renewEpochs(let known, _):
            fail(.synced, "a client knows revision \(known.value), which the server does not have")
        default: break
        }
        begin(limited(call), server) { [unowned self] in
            if case .appendLocked(let append, _) = call, case .appendedLocked(let missed, .committed) = $0,
                missed.isEmpty
            {
                server.needsNoLock.insert(append.document)
            }
            answered(fault.answer($0, to: call))
        }
    }

    private func begin(
        _ call: StoreCall, _ server: ServerRun, then answered: @escaping (StoreAnswer) -> Void
    ) {
        store.lastCall += 1
        let number = store.lastCall
        var due = now + dice.delay(.store, number, at: now)
        if store.has(.slow, at: now) {
            due += Int64(dice.roll(.store, number, at: now).peek(5_000...250_000))
        }
        if call.writes {
            due = max(due, store.writerFree)
            store.writerFree = due
        }
        let job = StoreJob(number: number, writes: call.writes, server: server) { [unowned self] in
            let answer = answer(call, number, server)
            let later = now + dice.delay(.answer, number, at: now)
            let reply = { if !server.isDead { answered(answer) } }
            agenda.add(.answer(reply), at: later)
        }
        store.pending[number] = job
        agenda.add(.call(job), at: due)
    }

    /// The answer of the store under its current faults.
    private func answer(_ call: StoreCall, _ number: Int, _ server: ServerRun) -> StoreAnswer {
        decide(before: call, of: server)
        if store.has(.failing, at: now) {
            store.lastFault = now
            return call.refused(.refused(plan.nodes == 1 ? .failed : .away))
        }
        if call.writes, store.has(.full, at: now) {
            store.lastFault = now
            return call.refused(.refused(.full))
        }
        if let unsure = call.unsure, store.has(.unsure, at: now) {
            var random = dice.roll(.outcome, number, at: now)
            if random.chance(60) {
                store.lastFault = now
                if plan.nodes > 1 {
                    leaveUndecided(call, number, server, commits: random.chance(50))
                } else if random.chance(50) {
                    _ = perform(call, server)
                }
                return unsure
            }
        }
        return perform(call, server)
    }

    /// The connection to the store is lost, and the append is still under way. It is decided a little later.
    private func leaveUndecided(_ call: StoreCall, _ number: Int, _ server: ServerRun, commits: Bool) {
        guard let document = call.document else { return }
        store.undecided[document] = UndecidedAppend(number: number, server: server) { [unowned self] in
            if commits { _ = perform(call, server) }
        }
        after(Int64(dice.roll(.outcome, number, at: now + 1).peek(2_000...80_000))) { [unowned self] in
            if store.undecided[document]?.number == number { decide(document) }
        }
    }

    /// A write waits for the lock that an undecided append of its document has. So does a read of the server
    /// that made the append: it must not act before it knows the outcome.
    private func decide(before call: StoreCall, of server: ServerRun) {
        guard let document = call.document, let undecided = store.undecided[document] else { return }
        if call.writes || undecided.server === server { decide(document) }
    }

    private func decide(_ document: DocumentID) { store.undecided.removeValue(forKey: document)?.decide() }

    func execute(_ job: StoreJob) {
        guard store.pending.removeValue(forKey: job.number) != nil else { return }
        job.run()
    }

    /// Calls the model, and reports commits to the referee.
    private func perform(_ call: StoreCall, _ server: ServerRun) -> StoreAnswer {
        switch call {
        case .append(let append):
            let outcome = commit(append)
            if case .committed(let head) = outcome { server.bus?.publish([.head(append.document, head)]) }
            return .appended(outcome)
        case .appendLocked(let append, let rebase):
            let answer = commitLocked(append, rebase)
            if case .appendedLocked(_, .committed(let head)) = answer {
                server.bus?.publish([.head(append.document, head)])
            }
            return answer
        // Every server hears of changed grants, because the simulation also gives tokens back, which no store does.
        case .tokens(.live(let tokens)): return .tokens(.live(.success(tokens)))
        case .create(_, let history, _):
            let answer = store.model.answer(call)
            if case .created(.created(let entry)) = answer {
                referee.ledger.begin(entry)
                if let history { referee.committed(history.changes, entry.id, after: 0) }
                server.bus?.publish([.changed(entry.id)])
            }
            return answer
        case .rename(let document, let name):
            let answer = store.model.answer(call)
            if answer == .renamed(.renamed) {
                referee.ledger.named(document, name)
                server.bus?.publish([.changed(document)])
            }
            return answer
        case .tags(.copy(let copy)):
            let answer = store.model.answer(.tags(.copy(fault.copy(copy))))
            if case .tags(.copied(.copied(let entry))) = answer {
                referee.copied(copy, entry)
                server.bus?.publish([.changed(entry.id)])
            }
            return answer
        case .delete(let document, _):
            let answer = store.model.answer(call)
            if answer == .deleted(nil) { server.bus?.publish([.changed(document)]) }
            return answer
        default: return store.model.answer(call)
        }
    }

    func commit(_ append: Append) -> AppendOutcome {
        if fault.losesLastAppend { store.stateBeforeLastAppend = store.model }
        let outcome = store.model.append(fault.append(append))
        if case .committed = outcome {
            referee.committed(append.changes, append.document, after: append.expected)
        }
        return outcome
    }

    private func commitLocked(_ append: Append, _ rebase: AppendRebase) -> StoreAnswer {
        var made: [PushedChange] = []
        let answer = store.model.appendLocked(append) { missed in
            made = rebase.changes(missed)
            return made
        }
        if case .committed(let head) = answer.outcome {
            referee.committed(made, append.document, after: Revision(head.value - made.count))
        }
        return .appendedLocked(missed: answer.missed, answer.outcome)
    }

    /// Limits a read to fewer bytes than a room asks for, so that even a short history needs several reads.
    private func limited(_ call: StoreCall) -> StoreCall {
        guard case .read(let document, let revision, _) = call else { return call }
        return .read(document, after: revision, limit: dice.roll(.answer, 7, at: now).peek(40...4_000))
    }
}

extension StoreCall {
    /// The document of a call about one document; nil for other calls.
    fileprivate var document: DocumentID? {
        switch self {
        case .append(let append), .appendLocked(let append, _): append.document
        case .pusher(_, let document), .load(let document), .renewEpochs(_, let document),
            .text(let document, _), .read(let document, _, _), .blame(let document, _),
            .rename(let document, _),
            .delete(let document, _), .undelete(let document), .trim(let document, _),
            .redact(let document, _), .tags(.add(_, let document, _)),
            .tags(.remove(_, let document)), .tags(.list(let document)):
            document
        case .tags(.copy(let copy)): copy.source
        case .notes(let notes): notes.document
        case .find, .open, .create, .list, .deleted, .entries, .tokens: nil
        }
    }

    /// The answer of a store that cannot tell whether a write succeeded; nil for reads.
    fileprivate var unsure: StoreAnswer? {
        switch self {
        case .append: .appended(.unknown)
        case .appendLocked: .appendedLocked(missed: [], .unknown)
        default: nil
        }
    }
}
