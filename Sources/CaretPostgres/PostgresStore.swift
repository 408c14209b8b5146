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
package final class PostgresStore: SQLStore {
    let shared: SharedState
    private let appends: [AppendQueue]
    /// For all writes that are no appends.
    let writes: SharedConnection<Lane>
    let reads: SharedConnection<Readers>
    package let upkeep: Upkeep<Lane, PostgresUpkeepWrites>
    package let due = DueDocuments()
    private let rows = KnownRows()
    /// The background tasks, which run until the store is closed.
    private let upkeepTasks: [Task<Void, Never>]
    package let openCalls = OpenCalls()
    /// PostgreSQL makes its own backups.
    package var backupNames: [String] { [] }
    let postgresBus: PostgresBus

    /// Publishes to the other servers over the same database what this store has committed.
    package var bus: (any NodeBus)? { postgresBus }

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

    // MARK: Calls that write

    package func append(_ append: Append, _ waiting: WaitingCall) {
        // An append without changes sets the line break.
        if append.changes.isEmpty {
            return write(waiting, to: append.document) { writer throws(PostgresFault) in
                .appended(try writer.setLineBreak(append))
            }
        }
        openCalls.begin()
        let lane = Int(append.document.value.magnitude % UInt64(appends.count))
        appends[lane].add([
            AppendJob(append: append) { [openCalls] in
                waiting.answer(.appended($0))
                openCalls.end()
            }
        ])
    }

    package func appendLocked(_ append: Append, _ rebase: AppendRebase, _ waiting: WaitingCall) {
        attempt(on: writes, as: .short) { [due, rows] lane in
            var locked = LockedAppend(append, lane, rows)
            let outcome = locked.run(rebase.changes)
            due.add(locked.due)
            return outcome.map { StoreAnswer.appendedLocked(missed: locked.missed, $0) }
        } then: { [self] answer in
            if case .failure(let fault) = answer, fault.refusal == .damaged {
                shared.close(damaged: append.document, fault)
            }
            written(waiting, answer)
        }
    }

    package func renewEpochs(known: Revision, of document: DocumentID, _ waiting: WaitingCall) {
        attempt(on: writes, as: .short) { lane in
            if lane.shared.isFresh { return .success(.epochsRenewed(.success(false))) }
            return Result { () throws(PostgresFault) in
                try lane.run { connection throws(PostgresFault) in
                    try lane.renewEpochs(connection, .clientIsAhead(document, known: known.value))
                }
                return .epochsRenewed(.success(true))
            }
        } then: {
            waiting.answer($0.mapError(\.historyRefusal))
        }
    }

    // MARK: Calls that read

    package func entries(of documents: [DocumentID], _ waiting: WaitingCall) {
        attempt(on: reads, as: .short) { readers in
            Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.waitForOutcomes(of: documents)
                    return .entries(
                        try readers[.short].rows.entries(of: documents) {
                            readers.lane.shared.noteGeneration($0)
                        })
                }
            }
        } then: {
            waiting.answer($0.mapError(\.historyRefusal))
        }
    }

    /// The next append needs the row, if another server has appended to the document.
    package func note(_ row: DocumentRow) { rows.note(row) }

    package func run<Read: SteppedRead>(_ read: Read, for waiting: WaitingCall) {
        attempt(on: reads, as: .long) { readers in
            var read = read
            return Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.waitForOutcomes(of: [read.document])
                    // A step changes the read, so it must come before the tuple copies it.
                    let answer = try read.nextStep(&readers[.long])
                    return (read, answer)
                }
            }
        } then: { [self] (step: Result<(Read, StoreAnswer?), PostgresFault>) in
            switch closingIfDamaged(read.document, step) {
            case .failure(let refusal): waiting.answer(.failure(refusal))
            case .success((_, let answer?)): waiting.answer(answer)
            case .success((let next, nil)): run(next, for: waiting)
            }
        }
    }

    /// Stores the text at a revision as a snapshot now. In the server only upkeep makes snapshots; tests call
    /// this.
    package func putSnapshot(
        _ snapshot: Snapshot, of document: DocumentID
    ) async -> Result<Void, HistoryRefusal> {
        let found = await reads.run(as: .long) { readers in
            Result { () throws(PostgresFault) in
                try readers[.long].reading { reader throws(PostgresFault) in
                    let row = try reader.document(document)
                    let checked = try reader.text(of: row, at: snapshot.revision)
                    if checked.snapshot.text != snapshot.text { throw .refused(.wrongText) }
                    return StoredSnapshot(checked, of: row.entry)
                }
            }
        }
        switch closingIfDamaged(document, found) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let stored):
            let kept = await writes.run(as: .short) { lane in
                Result { () throws(PostgresFault) in
                    try lane.write(to: [document]) { writer throws(PostgresFault) in try writer.keep(stored) }
                }
            }
            return kept.mapError(\.historyRefusal)
        }
    }
}
