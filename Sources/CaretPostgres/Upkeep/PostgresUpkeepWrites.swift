import CaretConcurrency
package import CaretFormat
package import CaretLog

/// The writes of upkeep, each in a transaction of its own. They are the last class of the connection that writes.
package struct PostgresUpkeepWrites: UpkeepWrites {
    private let writes: SharedConnection<Lane>
    private let reads: SharedConnection<Readers>
    private let due: DueDocuments
    private let shared: SharedState

    init(
        _ writes: SharedConnection<Lane>, _ reads: SharedConnection<Readers>, _ due: DueDocuments,
        _ shared: SharedState
    ) {
        self.writes = writes
        self.reads = reads
        self.due = due
        self.shared = shared
    }

    private func write<Answer: Sendable>(
        _ document: DocumentID,
        _ body: @escaping @Sendable (inout DocumentWriter) throws(PostgresFault) -> Answer
    ) async -> Result<Answer, HistoryRefusal> {
        let end = ContinuousClock.now + LockPatience.most
        while true {
            let result = await writes.run(as: .upkeep) { lane in
                Result { () throws(PostgresFault) in try lane.write(to: [document], body) }
            }
            if LockPatience.isTriedAgain(result, until: end) {
                // Ends early if the store is being closed.
                try? await Task.sleep(for: .milliseconds(LockPatience.pause))
                if !Task.isCancelled, !shared.isClosing { continue }
            }
            if case .failure(let fault) = result { shared.report(fault) }
            return result.mapError(\.historyRefusal)
        }
    }

    package func commit(_ steps: [(document: DocumentID, step: UpkeepStep)]) async -> [Bool?] {
        var results: [Bool?] = []
        for (document, step) in steps {
            let result = await write(document) { writer throws(PostgresFault) in
                try writer.run(step, of: document)
            }
            // A refused step is still due in the next run.
            results.append(try? result.get())
        }
        return results
    }

    package func trim(_ plan: TrimPlan) async -> Result<Bool, HistoryRefusal> {
        let document = plan.snapshot.document
        let result = await write(document) { writer throws(PostgresFault) in try writer.trim(plan) }
        if case .success(true) = result { due.add([document]) }
        return result
    }

    package func purge(
        _ document: DocumentID, deletedBy time: Int64
    ) async -> Result<PurgeResult, HistoryRefusal> {
        await write(document) { writer throws(PostgresFault) in
            try writer.purge(document, deletedBy: time)
        }
    }

    package func forget(
        _ authors: [Int64], of document: DocumentID, usedBefore time: Int64
    ) async -> Result<Void, HistoryRefusal> {
        await write(document) { writer throws(PostgresFault) in
            try writer.forget(authors, of: document, usedBefore: time)
        }
    }

    package func redact(_ plan: RedactionPlan, at time: Int64) async -> Result<UInt64?, HistoryRefusal> {
        await write(plan.old.id) { writer throws(PostgresFault) in
            try writer.redact(plan) ? writer.shared.generation.value : nil
        }
    }

    /// PostgreSQL's files and its log keep removed rows until it reuses the space, and so do its standbys and
    /// backups. Only the operator can erase those.
    package func erase(_ document: DocumentID) async -> Bool {
        await reads.run(as: .short) { $0.forgetHistory(of: document) }
        return false
    }

    package func prepareRound() async {}

    package func finishRound() async {}
}

extension Lane {
    /// Runs `body` in a transaction, after earlier commits of unknown outcome are decided.
    func write<Answer>(
        to documents: [DocumentID], _ body: (inout DocumentWriter) throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer {
        try waitForOutcomes(of: documents)
        let shared = shared
        do throws(PostgresFault) {
            return try transaction { connection throws(PostgresFault) in
                var writer = DocumentWriter(connection: connection, shared: shared)
                return try body(&writer)
            }
        } catch {
            // The commit may still be under way.
            if error.endsConnection { shared.addUndecided(documents) }
            throw error
        }
    }
}
