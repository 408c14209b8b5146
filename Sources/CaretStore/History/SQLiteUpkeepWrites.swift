import CaretConcurrency
package import CaretFormat
package import CaretLog

/// The writes of upkeep, in transactions that they share with other calls.
package struct SQLiteUpkeepWrites: UpkeepWrites {
    let writes: WriteQueue
    private let reader: QueueConfined<UpkeepReader<Database>>
    let calls: OpenCalls
    let onEvent: @Sendable (StoreEvent) -> Void
    /// Drops what the other readers have in memory of a document's history.
    private let forgetHistory: @Sendable (DocumentID) async -> Void

    init(
        _ writes: WriteQueue, _ reader: QueueConfined<UpkeepReader<Database>>, _ calls: OpenCalls,
        onEvent: @escaping @Sendable (StoreEvent) -> Void,
        forgetHistory: @escaping @Sendable (DocumentID) async -> Void
    ) {
        self.writes = writes
        self.reader = reader
        self.calls = calls
        self.onEvent = onEvent
        self.forgetHistory = forgetHistory
    }

    package func commit(_ steps: [(document: DocumentID, step: UpkeepStep)]) async -> [Bool?] {
        let onEvent = onEvent
        let bodies = steps.map { document, step in
            { @Sendable (writer: inout HistoryWriter) throws(StoreFault) -> Bool in
                if let event = StoreEvent(step, of: document) { onEvent(event) }
                let isDone = try writer.run(step, of: document)
                if isDone, case .merge = step { onEvent(.merged(document)) }
                return isDone
            }
        }
        // A refused step is still due in the next run.
        return await writes.run(bodies).map { try? $0.get() }
    }

    package func trim(_ plan: TrimPlan) async -> Result<Bool, HistoryRefusal> {
        await writes.run { writer throws(StoreFault) in
            let isDone = try writer.trim(plan)
            if isDone { writer.due.insert(plan.snapshot.document) }
            return isDone
        }
    }

    package func purge(
        _ document: DocumentID, deletedBy time: Int64
    ) async -> Result<PurgeResult, HistoryRefusal> {
        await writes.run { writer throws(StoreFault) in
            // Before it is published, an imported document looks like one that is being purged.
            if writer.unpublished.contains(document) { return .kept }
            return try writer.purge(document, deletedBy: time)
        }
    }

    package func forget(
        _ authors: [Int64], of document: DocumentID, usedBefore time: Int64
    ) async -> Result<Void, HistoryRefusal> {
        await writes.run { writer throws(StoreFault) in
            try writer.forget(authors, of: document, usedBefore: time)
        }
    }

    package func redact(_ plan: RedactionPlan, at time: Int64) async -> Result<UInt64?, HistoryRefusal> {
        await writes.run { writer throws(StoreFault) in
            try writer.redact(plan, at: time) ? writer.generation : nil
        }
    }

    package func erase(_ document: DocumentID) async -> Bool {
        await forgetHistory(document)
        return await eraseAll()
    }

    package func prepareRound() async {
        if await reader.run({ $0.isErasureDue() }) { await eraseRest() }
    }

    /// Returns free pages to the file system if they are more than 1/32 of the file.
    package func finishRound() async {
        guard let space = await reader.run({ $0.space() }), space.free > space.pages / 32 else { return }
        for _ in 0..<(space.free / UpkeepPolicy.pagesAtOnce + 1) where !calls.isClosing {
            let result = await writes.run { writer throws(StoreFault) in
                try writer.returnFreePages(upTo: UpkeepPolicy.pagesAtOnce)
            }
            guard case .success = result else { return }
        }
    }
}

extension StoreEvent {
    /// The event before a step; nil if the step has none.
    fileprivate init?(_ step: UpkeepStep, of document: DocumentID) {
        switch step {
        case .merge(let replacement): self = .merging(document, segments: replacement.old.count)
        case .snapshot(let snapshot, _, _): self = .snapshotting(document, snapshot.revision)
        case .removeTrimmed, .moveNotes, .correctUnmerged: return nil
        }
    }
}
