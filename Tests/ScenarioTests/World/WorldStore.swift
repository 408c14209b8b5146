import CaretCore
import CaretLog
import CaretReplica
import CaretRooms
import CaretWire
import TestSupport

/// What rooms and the hub ask of the store, and its answers.
extension World {
    /// Lets a call reach the store after a while, and its answer come back after another.
    private func call<Answer>(
        writes: Bool, refusing: @escaping (StoreRefusal) -> Answer, unsure: Answer? = nil,
        _ server: Server, _ execute: @escaping (World) -> Answer, then: @escaping (World, Answer) -> Void
    ) {
        store.lastCall += 1
        let number = store.lastCall
        var due = now + dice.delay(.store, number, at: now)
        if store.isSo(.slow, at: now) {
            due += Int64(dice.roll(.store, number, at: now).peek(5_000...250_000))
        }
        if writes {
            due = max(due, store.writerFree)
            store.writerFree = due
        }
        let job = StoreJob(number: number, writes: writes) { [unowned self] in
            let answer = executed(writes, number, refusing, unsure, execute)
            let later = now + dice.delay(.answer, number, at: now)
            let reply = { [unowned self] in if !server.isDead { then(self, answer) } }
            agenda.add(.answer(reply), at: later)
        }
        store.pending[number] = job
        agenda.add(.call(job), at: due)
    }

    private func executed<Answer>(
        _ writes: Bool, _ number: Int, _ refusing: (StoreRefusal) -> Answer, _ unsure: Answer?,
        _ execute: (World) -> Answer
    ) -> Answer {
        if store.isSo(.failing, at: now) { return refusing(.failed) }
        if writes, store.isSo(.full, at: now) { return refusing(.full) }
        if let unsure, store.isSo(.unsure, at: now) {
            var random = dice.roll(.outcome, number, at: now)
            if random.chance(60) {
                if random.chance(50) { _ = execute(self) }
                return unsure
            }
        }
        return execute(self)
    }

    func execute(_ job: StoreJob) {
        guard store.pending.removeValue(forKey: job.number) != nil else { return }
        job.run()
    }

    // MARK: Rooms

    private func ask(
        _ host: RoomHost, _ server: Server, writes: Bool = false,
        refusing: @escaping (StoreRefusal) -> RoomJob, unsure: RoomJob? = nil,
        doing execute: @escaping (World) -> RoomJob
    ) {
        call(
            writes: writes, refusing: refusing, unsure: unsure, server, execute,
            then: { world, job in
                if !host.isDropped { world.post(job, to: host, server) }
            })
    }

    func ask(_ action: RoomAction, _ host: RoomHost, _ server: Server) {
        let document = host.document
        switch action {
        case .append(let append): self.append(append, host, server)
        case .appendLocked(let append, let plan): self.append(append, plan, host, server)
        case .lookUp(let pusher): lookUp(pusher, host, server)
        case .read(let revision): read(revision, host, server)
        case .readText(let revision):
            ask(
                host, server,
                refusing: { refusal in .news { $0.textRead(revision, .failure(.refused(refusal))) } },
                doing: {
                    let answer = $0.store.model.text(of: document, at: revision)
                    return .news { $0.textRead(revision, answer) }
                })
        case .reload:
            ask(
                host, server, refusing: { refusal in .news { $0.reloadFailed(refusal) } },
                doing: { world in
                    world.store.reloaded(document)
                })
        case .rename(let name):
            ask(
                host, server, writes: true, refusing: { .renamed(name, .refused($0)) },
                doing: { .renamed(name, $0.rename(document, to: name)) })
        case .delete:
            ask(
                host, server, writes: true, refusing: { .deleted(.failure($0)) },
                doing: {
                    .deleted($0.store.model.delete(document, at: $0.time))
                })
        case .compute(let id, let work): beside(host, server) { { $0.computed(id, work.done()) } }
        case .sum(let text, let revision):
            let sum = fault.sum(text.crc32)
            beside(host, server) { { $0.summed(sum, at: revision) } }
        case .renewEpochs(let known):
            fail(.synced, "a client knows revision \(known.value), which the server does not have")
        case .send, .wake, .ended, .cut, .diverged, .unload, .pushesSettled: break
        }
    }

    private func lookUp(_ pusher: Pusher, _ host: RoomHost, _ server: Server) {
        let document = host.document
        ask(
            host, server, refusing: { refusal in .news { $0.pusherFound(pusher, .failure(refusal)) } },
            doing: {
                let answer = $0.fault.pusher($0.store.model.pusher(pusher, in: document))
                return .news { $0.pusherFound(pusher, answer) }
            })
    }

    private func read(_ revision: Revision, _ host: RoomHost, _ server: Server) {
        let document = host.document
        ask(
            host, server,
            refusing: { refusal in .news { $0.historyRead(after: revision, .failure(.refused(refusal))) }
            },
            doing: {
                let limit = $0.dice.roll(.answer, 7, at: $0.now).peek(40...4_000)
                let (fault, answer) = (
                    $0.fault, $0.store.model.read(document, after: revision, limit: limit)
                )
                return .news { $0.historyRead(after: revision, fault.reading(answer, $0)) }
            })
    }

    /// Lets work be done beside a room.
    private func beside(
        _ host: RoomHost, _ server: Server, _ work: @escaping () -> (inout RoomState) -> [RoomAction]
    ) {
        after(dice.delay(.answer, Int(host.document.value), at: now)) { [unowned self] in
            if !server.isDead, !host.isDropped { post(.news(work()), to: host, server) }
        }
    }

    private func append(_ append: Append, _ host: RoomHost, _ server: Server) {
        referee.mayAppend(append)
        if fault.acksEarly {
            post(
                .news {
                    $0.appended(.committed(head: Revision(append.expected.value + append.changes.count)))
                },
                to: host, server)
        }
        let early = fault.acksEarly
        ask(
            host, server, writes: true,
            refusing: { refusal in .news { $0.appended(AppendOutcome(refusal)) } },
            unsure: .news { $0.appended(.unknown) },
            doing: { world in
                let outcome = world.commit(append)
                return early ? .timePassed : .news { $0.appended(outcome) }
            })
    }

    func commit(_ append: Append) -> AppendOutcome {
        if fault.losesLast { store.beforeLast = store.model }
        let outcome = store.model.append([append])[0]
        if case .committed = outcome {
            referee.committed(append.changes, append.document, behind: append.expected)
        }
        return outcome
    }

    private func append(_ append: Append, _ plan: SegmentPlan, _ host: RoomHost, _ server: Server) {
        referee.mayAppend(append)
        ask(
            host, server, writes: true,
            refusing: { refusal in .news { $0.appendedLocked(missed: [], AppendOutcome(refusal)) } },
            unsure: .news { $0.appendedLocked(missed: [], .unknown) },
            doing: { world in
                var made: [PushedChange] = []
                let answer = world.store.model.appendLocked(append) { missed in
                    made = plan.changes(behind: missed)
                    return made
                }
                if case .committed(let head) = answer.outcome {
                    world.referee.committed(made, append.document, behind: Revision(head.value - made.count))
                }
                return .news { $0.appendedLocked(missed: answer.missed, answer.outcome) }
            })
    }

    // MARK: The hub

    func ask(_ id: CallID, _ storeCall: StoreCall, _ server: Server) {
        call(
            writes: storeCall.writes, refusing: { storeCall.refused($0) }, server,
            { world in world.answer(storeCall) },
            then: { world, answer in
                world.post(.answered(id, world.fault.answer(answer, to: storeCall)), server)
            })
    }

    private func answer(_ call: StoreCall) -> StoreAnswer {
        switch call {
        case .find(let name): return .found(store.model.find(name))
        case .create(let name, let time):
            let creation = store.model.create(name, at: time)
            if case .created(let entry) = creation { referee.ledger.begin(entry) }
            return .created(creation)
        case .text(let document, let revision): return .text(store.model.text(of: document, at: revision))
        case .read(let document, let revision, let limit):
            return .read(store.model.read(document, after: revision, limit: limit))
        case .list(let prefix, let after, let limit):
            return .listed(.success(store.model.list(prefix: prefix, after: after, limit: limit)))
        case .entries(let documents): return .entries(documents.map { store.model.entry(of: $0) })
        case .rename(let document, let name): return .renamed(rename(document, to: name))
        case .delete(let document, let time):
            if case .failure(let refusal) = store.model.delete(document, at: time) {
                return .deleted(refusal)
            }
            return .deleted(nil)
        case .tokens, .admin: preconditionFailure("nobody administers the server here")
        }
    }

    private func rename(_ document: DocumentID, to name: DocumentName) -> Renaming {
        let result = store.model.rename(document, to: name)
        if result == .renamed { referee.ledger.named(document, name) }
        return result
    }
}

extension SimStore {
    fileprivate func reloaded(_ document: DocumentID) -> RoomJob {
        switch (model.entry(of: document), model.text(of: document, at: nil)) {
        case (.success(let entry), .success(let head)): .news { $0.reloaded(entry, head) }
        case (.failure(let refusal), _): .news { $0.reloadFailed(refusal) }
        case (_, .failure): .news { $0.reloadFailed(.damaged) }
        }
    }
}

extension AppendOutcome {
    fileprivate init(_ refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .gone
        case .damaged: self = .damaged
        case .full: self = .full
        case .failed: self = .failed
        }
    }
}

extension StoreCall {
    fileprivate var writes: Bool {
        switch self {
        case .create, .rename, .delete: true
        case .find, .text, .read, .list, .entries, .tokens, .admin: false
        }
    }

    fileprivate func refused(_ refusal: StoreRefusal) -> StoreAnswer {
        switch self {
        case .find: .found(.failure(refusal))
        case .create: .created(.refused(refusal))
        case .text: .text(.failure(.refused(refusal)))
        case .read: .read(.failure(.refused(refusal)))
        case .list: .listed(.failure(refusal))
        case .entries(let documents): .entries(documents.map { _ in .failure(refusal) })
        case .rename: .renamed(.refused(refusal))
        case .delete: .deleted(refusal)
        case .tokens, .admin: preconditionFailure("nobody administers the server here")
        }
    }
}
