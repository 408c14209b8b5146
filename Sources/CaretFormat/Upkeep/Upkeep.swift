import CaretConcurrency
package import CaretCore
package import CaretLog

/// The work that a store does in the background, in small steps. Upkeep reads and prepares each step on its
/// own queue, and uses the writer only to commit the step.
package struct Upkeep<Connection: SQLConnection, Writes: UpkeepWrites>: Sendable {
    package let writes: Writes
    let reader: UpkeepReads<Connection>
    /// Compresses what was read. Upkeep can wait, so it takes no core from others.
    let packing = QueueConfined((), on: "caret.store.packing", inBackground: true)
    let settings: StoreSettings
    package let calls: OpenCalls
    private let lastRound = LastRound()
    let onEvent: @Sendable (UpkeepEvent) -> Void

    package init(
        _ writes: Writes, _ reader: UpkeepReads<Connection>, _ settings: StoreSettings, _ calls: OpenCalls,
        onEvent: @escaping @Sendable (UpkeepEvent) -> Void
    ) {
        self.writes = writes
        self.reader = reader
        self.settings = settings
        self.calls = calls
        self.onEvent = onEvent
    }

    /// Does the upkeep of the documents that become due, until its task is cancelled.
    package func run(_ due: DueDocuments) async {
        for await _ in due.signals {
            await run(due.takeAll())
            try? await Task.sleep(for: UpkeepPolicy.pause)  // Fails only if the store is being closed.
        }
    }

    /// Does the upkeep of documents that are being written to. Commits steps of several documents together.
    /// Changes that were appended at the same time are on the same pages, so each page is written only once.
    private func run(_ documents: [DocumentID]) async {
        var rest = documents[...]
        while !rest.isEmpty, !calls.isClosing {
            var (found, weight): ([(document: DocumentID, due: DueStep)], Int) = ([], 0)
            while weight < UpkeepPolicy.weightPerTransaction, let document = rest.popFirst() {
                guard let due = await due(for: document, isIdle: false, isNew: true) else { continue }
                found.append((document, due))
                weight += due.step.weight
            }
            let committed = await writes.commit(found.map { ($0.document, $0.due.step) })
            for (one, isCommitted) in zip(found, committed) {
                guard let isCommitted, !isCommitted || !one.due.isLast else { continue }
                await maintain(one.document, isIdle: false, isNew: false)
            }
        }
    }

    /// Does a round at regular intervals, until its task is cancelled.
    package func runRounds() async {
        guard let pause = settings.roundEvery else { return }
        while (try? await Task.sleep(for: pause)) != nil {
            calls.begin()
            await round(at: settings.now())
            calls.end()
        }
    }

    /// Does all steps that are due for a document's history. If the store refuses a step, a later run retries
    /// it.
    package func maintain(_ document: DocumentID, isIdle: Bool, isNew: Bool = true) async {
        var (isNew, attempts) = (isNew, 0)
        while !calls.isClosing, let due = await due(for: document, isIdle: isIdle, isNew: isNew) {
            // If the history has changed meanwhile, prepare the step again.
            guard let isCommitted = await writes.commit([(document, due.step)])[0],
                !isCommitted || !due.isLast
            else { return }
            (isNew, attempts) = (false, isCommitted ? 0 : attempts + 1)
            if attempts == UpkeepPolicy.attempts { return onEvent(.damaged(document)) }
        }
    }

    /// The next step for a document; nil if nothing is due, or the document cannot be read.
    private func due(for document: DocumentID, isIdle: Bool, isNew: Bool) async -> DueStep? {
        switch await reader.run({ $0.next(for: document, isIdle: isIdle, isNew: isNew) }) {
        case .failure(let fault):
            if case .refused(.damaged) = fault.historyRefusal { onEvent(.damaged(document)) }
            return nil
        case .success(nil): return nil
        case .success(let due?): return await packing.run { _ in due.packed() }
        }
    }

    /// Removes the history up to and including `revision`, and returns where the history now begins.
    package func trim(_ document: DocumentID, through revision: Revision) async -> TrimResult {
        // Repeats only if a merge or another trim was committed first.
        for _ in 0..<UpkeepPolicy.attempts {
            // Afterwards, the text is near one that is in memory.
            var replay: TextReplay? = TextReplay(document, at: revision)
            while let step = replay { replay = await reader.run { $0.step(step) } }
            if let refusal = await moveNotes(of: document, to: revision) { return .refused(refusal) }
            let found = await reader.run { $0.prepareTrim(of: document, through: revision) }
            let plan: TrimPlan
            switch found {
            case .failure(let fault): return .refused(fault.historyRefusal)
            case .success(nil): return .trimmed(start: revision)
            case .success(let found?): plan = await packing.run { _ in found.packed() }
            }
            switch await writes.trim(plan) {
            case .failure(let refusal): return .refused(refusal)
            case .success(true):
                onEvent(.trimmed(document, start: revision))
                return .trimmed(start: revision)
            case .success(false): continue
            }
        }
        onEvent(.damaged(document))
        return .refused(.refused(.damaged))
    }

    /// Moves the places of notes that are before a revision to the newest text. Returns nil if none is left.
    private func moveNotes(of document: DocumentID, to revision: Revision) async -> HistoryRefusal? {
        while true {
            switch await reader.run({ $0.notes(of: document, before: revision) }) {
            case .failure(let fault): return fault.historyRefusal
            case .success(nil): return nil
            case .success(let notes?):
                let committed = await writes.commit([(document, .moveNotes(notes))])
                if committed[0] == nil { return .refused(.failed) }
            }
        }
    }

    // MARK: The round

    /// Visits all documents once. Purges those deleted long ago, trims histories, and forgets old pushers.
    /// Merges the segments of idle documents.
    package func round(at time: Int64) async {
        await writes.prepareRound()
        // Record only a complete round, because `visit` assumes that the last round saw every document.
        if await visitAll(at: time), !calls.isClosing { lastRound.set(time) }
        await writes.finishRound()
    }

    /// Visits the documents in the order of their IDs. Returns whether all documents could be listed.
    private func visitAll(at time: Int64) async -> Bool {
        var last = DocumentID(0)
        while !calls.isClosing {
            let after = last
            switch await reader.run({ $0.documents(after: after, limit: 256) }) {
            case .success(let rows):
                guard let end = rows.last else { return true }
                for row in rows where !calls.isClosing { await visit(row, at: time) }
                last = end.id
            case .failure(let fault):
                guard case .refused(.damaged) = fault.historyRefusal else { return false }
                onEvent(.damaged(nil))
                await visitEach(after: last, at: time)
                return false
            }
        }
        return false
    }

    /// Tries every document ID that was ever used, because the table cannot be read in order.
    private func visitEach(after last: DocumentID, at time: Int64) async {
        guard case .success(let most) = await reader.run({ $0.lastDocument() }) else { return }
        for value in last.value..<max(last.value, most.value) where !calls.isClosing {
            let found = await reader.run { $0.visitedDocument(DocumentID(value + 1)) }
            // If damage makes this read fail, `visitAll` has already reported it.
            if case .success(let row?) = found { await visit(row, at: time) }
        }
    }

    private func visit(_ row: VisitedDocument, at time: Int64) async {
        guard let document = row.document else { return onEvent(.damaged(row.id)) }
        if let deleted = document.entry.deleted {
            if deleted <= time.minus(settings.keepDeleted) { await purge(row.id, at: time) }
            return
        }
        await forgetPushers(of: row.id, before: time.minus(settings.keepPushers))
        if let through = await reader.run({ [settings] in $0.dueTrim(document, settings, at: time) }) {
            _ = await trim(row.id, through: through)
        }
        let isIdle = document.entry.updated <= time.minus(UpkeepPolicy.idle)
        // The document was already idle at the last round, and has not changed since. So the last round has
        // done its upkeep.
        if isIdle, let last = lastRound.time, document.entry.updated <= last.minus(UpkeepPolicy.idle),
            !UpkeepPolicy.isDue(document)
        {
            return
        }
        await maintain(row.id, isIdle: isIdle)
    }

    private func purge(_ document: DocumentID, at time: Int64) async {
        let limit = time.minus(settings.keepDeleted)
        while !calls.isClosing {
            switch await writes.purge(document, deletedBy: limit) {
            case .success(.begun): continue
            case .success(.done): return onEvent(.purged(document))
            case .success(.kept), .failure: return
            }
        }
    }

    private func forgetPushers(of document: DocumentID, before time: Int64) async {
        while !calls.isClosing {
            let found = await reader.run { $0.pushers(of: document, usedBefore: time) }
            guard case .success(let authors) = found, !authors.isEmpty else { return }
            let result = await writes.forget(authors, of: document, usedBefore: time)
            guard case .success = result else { return }
            onEvent(.pushersForgotten(document, pushers: authors.count))
        }
    }
}
