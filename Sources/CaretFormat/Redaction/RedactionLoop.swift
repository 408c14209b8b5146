import CaretConcurrency
package import CaretLog

extension Upkeep {
    /// Removes a passage from a document's history, and from all unused parts of the files.
    package func redact(_ document: DocumentID, _ redaction: Redaction) async -> RedactResult {
        // Repeats only if a push, a merge or a trim was committed first.
        while true {
            var report: RedactionReport
            let plan: RedactionPlan
            switch await prepared(redaction, of: document) {
            case .failure(let fault):
                if case .refused(.damaged) = fault.historyRefusal { onEvent(.damaged(document)) }
                return .refused(fault.refusal)
            case .success(.changed): continue
            case .success(.tooFrequent): return .tooFrequent
            case .success(.found(let found, nil)): return .redacted(found)
            case .success(.found(let found, let prepared?)): (report, plan) = (found, prepared)
            }
            switch await writes.redact(plan, at: settings.now()) {
            case .failure(let refusal): return .refused(refusal.storeRefusal)
            case .success(nil): continue
            case .success(let generation?):
                onEvent(.redacted(document))
                report.epoch = Epoch(generation: generation, document: plan.epoch)
                report.isErased = await writes.erase(document)
                return .redacted(report)
            }
        }
    }

    private func prepared(
        _ redaction: Redaction, of document: DocumentID
    ) async -> Result<PreparedRedaction, Connection.Fault> {
        var reading: RedactionReader<Connection>
        switch await reader.run({ $0.begin(redaction, of: document) }) {
        case .failure(let fault): return .failure(fault)
        case .success(let begun): reading = begun
        }
        while true {
            switch await reader.run({ [reading] in $0.step(reading) }) {
            case .failure(let fault): return .failure(fault)
            case .success((_, let prepared?)): return .success(prepared)
            case .success((let next, nil)): reading = await packing.run { _ in next.packed() }
            }
        }
    }
}
