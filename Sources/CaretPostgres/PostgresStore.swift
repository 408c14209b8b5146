import CaretConcurrency
package import CaretCore
package import CaretFormat
package import CaretLog
@preconcurrency import Dispatch

/// A store in a PostgreSQL database.
///
/// It has five connections: two for appends, one for all other writes, one for all reads, and that of the bus. Each one has
/// its own thread or queue, and is made again after it was lost. Two threads commit appends in groups: all appends that
/// arrive during a commit share the next one. A document is always appended to by the same thread.
package final class PostgresStore: DocumentStore {
    let shared: SharedState
    private let appends: [AppendQueue]
    /// For all writes that are no appends.
    let writes: SharedConnection<Lane>
    let reads: SharedConnection<Readers>
    let upkeep: Upkeep<PostgresRows, PostgresUpkeepWrites>
    private let due = DueDocuments()
    private let rows = KnownRows()
    /// The background tasks, which run until the store is closed.
    private let upkeepTasks: [Task<Void, Never>]
    let openCalls = OpenCalls()
    private let postgresBus: PostgresBus

    /// Tells the other servers over the same database what this store has committed.
    package var bus: (any NodeBus)? { postgresBus }

    typealias Reader = Readers.Reader

    package var generation: UInt64 { shared.generation.value }

    package var now: Int64 { shared.clock.now }

    /// Opens the database, and creates the tables if they are missing. `node` is the name of this server, which no
    /// other running server may have. A call waits at most `patience` milliseconds for an answer, and for a new
    /// connection. The store calls `onEvent` on any thread. `onEvent` must return soon.
    package init(
        _ address: PostgresAddress, node: String, allowsUnreplicated: Bool, patience: Int32 = 10_000,
        settings: StoreSettings = StoreSettings(), migrations: [PostgresMigration] = PostgresMigration.all,
        onEvent: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
    ) throws(PostgresOpeningFault) {
        let opening = StoreOpening(
            address: address, patience: patience, node: node, allowsUnreplicated: allowsUnreplicated,
            migrations: migrations, clock: StoreClock(settings.now), onEvent: onEvent)
        let shared = try opening.open()
        self.shared = shared
        let (due, bus, rows) = (due, PostgresBus(shared), rows)
        postgresBus = bus
        bus.start(try BusConnection(shared, name: node))
        appends = [Lane.Use.evenAppends, .oddAppends].map {
            AppendQueue(AppendWriter(Lane($0, shared), rows, due, bus))
        }
        let writes = SharedConnection(Lane(.writes, shared), on: "caret.store.writes")
        let reads = SharedConnection(Readers(Lane(.reads, shared)), on: "caret.store.reads")
        (self.writes, self.reads) = (writes, reads)
        var settings = settings
        settings.now = { [clock = shared.clock] in clock.now }
        upkeep = Upkeep(
            PostgresUpkeepWrites(writes, reads, due, shared),
            UpkeepReads { read in reads.async(as: .upkeep) { read(&$0.upkeep) } }, settings, openCalls
        ) { event in
            if let document = event.changedDocument { bus.publish([.changed(document)]) }
            onEvent(PostgresEvent(event))
        }
        upkeepTasks = [
            Task { [upkeep] in await upkeep.run(due) }, Task { [upkeep] in await upkeep.runRounds() },
        ]
    }

    deinit { for task in upkeepTasks { task.cancel() } }

    /// Completes all earlier calls, and closes the connections. No call may follow.
    package func close() async {
        shared.isClosing = true
        for task in upkeepTasks { task.cancel() }
        await openCalls.close()
        for task in upkeepTasks { await task.value }
        for queue in appends { await queue.close() }
        await reads.close()
        await writes.close()
        await postgresBus.close()
    }

    /// Visits all documents once; the store's settings and `time` decide what is old.
    package func runUpkeep(at time: Int64) async {
        openCalls.begin()
        defer { openCalls.end() }
        await upkeep.round(at: time)
    }

    /// Tells the other servers over the same database.
    func tell(_ news: NodeNews) { postgresBus.publish([news]) }

    // MARK: Appending

    package func append(_ appends: [Append], then completion: @escaping @Sendable ([AppendOutcome]) -> Void) {
        if appends.isEmpty { return writes.async(as: .short) { _ in completion([]) } }
        openCalls.begin()
        let outcomes = AnswerCollector<AppendOutcome>(appends.count) { [openCalls] in
            completion($0)
            openCalls.end()
        }
        var jobs = self.appends.map { _ in [AppendJob]() }
        for (index, append) in appends.enumerated() {
            let job = AppendJob(append: append) { outcomes.set(index, $0) }
            if append.changes.isEmpty {
                setLineBreak(job)
            } else {
                jobs[lane(of: append.document)].append(job)
            }
        }
        for (queue, jobs) in zip(self.appends, jobs) where !jobs.isEmpty { queue.add(jobs) }
    }

    private func lane(of document: DocumentID) -> Int {
        Int(document.value.magnitude % UInt64(appends.count))
    }

    private func setLineBreak(_ job: AppendJob) {
        let append = job.append
        write(to: append.document) { writer throws(PostgresFault) in
            try writer.setLineBreak(append)
        } then: { [self] in
            if case .success = $0 { tell(.changed(append.document)) }
            job.completion($0.appendOutcome)
        }
    }

    package func appendLocked(
        _ append: Append, rebase: @escaping @Sendable ([LoggedChange]) -> [PushedChange],
        then completion: @escaping @Sendable ([LoggedChange], AppendOutcome) -> Void
    ) {
        attempt(on: writes, as: .short) { [due, rows] lane in
            var locked = LockedAppend(append, lane, rows)
            let outcome = locked.run(rebase)
            due.add(locked.due)
            return outcome.map { (locked.missed, $0) }
        } then: { [self] answer in
            let outcome = answer.map(\.1).appendOutcome
            if case .committed(let head) = outcome { tell(.head(append.document, head)) }
            if case .failure(let fault) = answer {
                if outcome == .documentDamaged { shared.close(damaged: append.document, fault) }
                shared.report(fault)
            }
            completion((try? answer.get().0) ?? [], outcome)
        }
    }

    // MARK: Documents

    package func create(
        _ name: DocumentName, _ first: FirstRevision?, at time: Int64,
        then completion: @escaping @Sendable (CreateResult) -> Void
    ) {
        // If the first try was committed, the second one finds the document.
        write(canRepeat: true) { writer throws(PostgresFault) in
            try writer.create(name, first, at: time)
        } then: { [self] in
            if case .success(.created(let entry)) = $0 { tell(.changed(entry.id)) }
            completion($0.answer { .refused($0.refusal) })
        }
    }

    package func rename(
        _ document: DocumentID, to name: DocumentName,
        then completion: @escaping @Sendable (RenameResult) -> Void
    ) {
        write(to: document) { writer throws(PostgresFault) in
            try writer.rename(document, to: name)
        } then: { [self] in
            if case .success(.renamed) = $0 { tell(.changed(document)) }
            completion($0.answer { .refused($0.refusal) })
        }
    }

    package func delete(
        _ document: DocumentID, at time: Int64,
        then completion: @escaping @Sendable (Result<Void, StoreRefusal>) -> Void
    ) {
        write(to: document) { writer throws(PostgresFault) in
            try writer.delete(document, at: time)
        } then: { [self] in
            if case .success = $0 { tell(.changed(document)) }
            completion($0.mapError(\.refusal))
        }
    }

    package func undelete(
        _ document: DocumentID, then completion: @escaping @Sendable (UndeleteResult) -> Void
    ) {
        write(to: document) { writer throws(PostgresFault) in
            try writer.undelete(document)
        } then: { [self] in
            if case .success(.undeleted) = $0 { tell(.changed(document)) }
            completion($0.answer { .refused($0.refusal) })
        }
    }

    /// Stores the text at a revision as a snapshot now. In the server only upkeep makes snapshots; tests call
    /// this.
    package func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Void, HistoryRefusal>) -> Void
    ) {
        history(of: document, as: .long) { reader throws(PostgresFault) in
            let row = try reader.document(document)
            let checked = try reader.text(of: row, at: snapshot.revision)
            if checked.snapshot.text != snapshot.text { throw .refused(.wrongText) }
            return StoredSnapshot(checked, of: row.entry)
        } then: { [self] found in
            switch found {
            case .failure(let refusal): completion(.failure(refusal))
            case .success(let stored):
                write(to: document) { writer throws(PostgresFault) in
                    try writer.keep(stored)
                } then: {
                    completion($0.mapError(\.historyRefusal))
                }
            }
        }
    }

    package func renewEpochs(
        known: Revision, of document: DocumentID,
        then completion: @escaping @Sendable (Result<Bool, StoreRefusal>) -> Void
    ) {
        attempt(on: writes, as: .short) { lane in
            if lane.shared.isFresh { return .success(false) }
            return Result { () throws(PostgresFault) in
                try lane.run { connection throws(PostgresFault) in
                    try lane.renewEpochs(connection, .clientIsAhead(document, known: known.value))
                }
                return true
            }
        } then: {
            completion($0.mapError(\.refusal))
        }
    }

    package func trim(
        _ document: DocumentID, through revision: Revision,
        then completion: @escaping @Sendable (TrimResult) -> Void
    ) {
        openCalls.begin()
        Task { [upkeep, openCalls] in
            completion(await upkeep.trim(document, through: revision))
            openCalls.end()
        }
    }

    package func redact(
        _ document: DocumentID, _ redaction: Redaction,
        then completion: @escaping @Sendable (RedactResult) -> Void
    ) {
        openCalls.begin()
        Task { [upkeep, openCalls] in
            completion(await upkeep.redact(document, redaction))
            openCalls.end()
        }
    }

    // MARK: Reading

    package func find(
        _ name: DocumentName,
        then completion: @escaping @Sendable (Result<DocumentEntry, StoreRefusal>) -> Void
    ) {
        lookup(
            { reader throws(PostgresFault) in try reader.rows.document(named: name).entry }, then: completion)
    }

    package func entries(
        of documents: [DocumentID],
        then completion: @escaping @Sendable ([Result<DocumentEntry, StoreRefusal>]) -> Void
    ) {
        attempt(on: reads, as: .short) { readers in
            Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.decide(documents)
                    return try readers[.short].rows.entries(of: documents)
                }
            }
        } then: {
            switch $0 {
            case .success(let entries): completion(entries)
            case .failure(let fault): completion(documents.map { _ in .failure(fault.refusal) })
            }
        }
    }

    package func list(
        prefix: ByteString, after: ByteString?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void
    ) {
        lookup(
            { reader throws(PostgresFault) in try reader.list(prefix: prefix, after: after, limit: limit) },
            then: completion)
    }

    package func deleted(
        prefix: ByteString, after: DocumentID?, limit: Int,
        then completion: @escaping @Sendable (Result<Listing, StoreRefusal>) -> Void
    ) {
        lookup(
            { reader throws(PostgresFault) in try reader.deleted(prefix: prefix, after: after, limit: limit)
            },
            then: completion)
    }

    package func pusher(
        _ pusher: Pusher, in document: DocumentID,
        then completion: @escaping @Sendable (Result<PusherAnswer, StoreRefusal>) -> Void
    ) {
        // A push that is found is acked.
        lookup(
            of: document, mustBeSafe: { $0.entry != nil },
            { reader throws(PostgresFault) in try reader.pusher(pusher, in: document) }, then: completion)
    }

    package func read(
        _ document: DocumentID, after revision: Revision, limit: Int,
        then completion: @escaping @Sendable (Result<HistorySlice, HistoryRefusal>) -> Void
    ) {
        history(of: document, as: .long) { [rows] reader throws(PostgresFault) in
            let row = try reader.document(document)
            rows.note(row)
            try reader.check(revision, of: row)
            let changes = try reader.changes(of: row, after: revision, limit: limit)
            return HistorySlice(
                segment: Segment(first: revision.next, changes: changes), head: row.entry.head)
        } then: {
            completion($0)
        }
    }

    package func text(
        of document: DocumentID, at revision: Revision?,
        then completion: @escaping @Sendable (Result<Snapshot, HistoryRefusal>) -> Void
    ) {
        if let revision { return run(TextReplay(document, at: revision), then: completion) }
        history(of: document, as: .short) { [due] reader throws(PostgresFault) in
            let row = try reader.document(document)
            // After a crash, upkeep may be due although nobody writes. Then each opening would take long.
            if UpkeepPolicy.isDue(row) { due.add([document]) }
            return try reader.text(of: row, at: row.entry.head).snapshot
        } then: {
            completion($0)
        }
    }

    /// Does the next step of a replay. Further steps run after the calls that wait meanwhile, so a long replay does
    /// not delay short ones.
    private func run(
        _ replay: TextReplay, then completion: @escaping @Sendable (Result<Snapshot, HistoryRefusal>) -> Void
    ) {
        attempt(on: reads, as: .long) { readers in
            var replay = replay
            return Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.decide([replay.document])
                    // A step changes the replay, so it must come before the tuple copies it.
                    let snapshot = try replay.step(&readers[.long])
                    return (replay, snapshot)
                }
            }
        } then: { [self] step in
            switch closingIfDamaged(replay.document, step) {
            case .failure(let refusal): completion(.failure(refusal))
            case .success((_, let snapshot?)): completion(.success(snapshot))
            case .success((let next, nil)): run(next, then: completion)
            }
        }
    }
}
