import CaretConcurrency
import CaretCore
import CaretFormat
import CaretLog

// How calls run on the queues of the store.
extension PostgresStore {
    /// Runs `body` in a transaction. `document` is the one that it writes to, if it exists already. `canRepeat` says that
    /// `body` may run again after it was committed.
    func write<Answer: Sendable>(
        to document: DocumentID? = nil, canRepeat: Bool = false,
        _ body: @escaping @Sendable (DocumentWriter) throws(PostgresFault) -> Answer,
        then completion: @escaping @Sendable (Result<Answer, PostgresFault>) -> Void
    ) {
        calls.async { lane in
            func write() throws(PostgresFault) -> Answer {
                try lane.write(to: document.map { [$0] } ?? [], body)
            }
            let answer = Result { () throws(PostgresFault) in
                try canRepeat ? PostgresStore.tryingAgain(write) : write()
            }
            if case .failure(let fault) = answer { lane.shared.report(fault) }
            completion(answer)
        }
    }

    /// Reads from one snapshot of the database, for calls that read at most a page of rows.
    func lookup<Answer>(
        of document: DocumentID? = nil,
        _ body: @escaping @Sendable (inout Reader) throws(PostgresFault) -> Answer,
        then completion: @escaping @Sendable (Result<Answer, StoreRefusal>) -> Void
    ) {
        lookups.async { [shared] reader in
            let answer = Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    if let document { try reader.rows.decide([document]) }
                    return try reader.reading(body)
                }
            }
            if case .failure(let fault) = answer, fault.refusal == .damaged {
                shared.report(fault)
                shared.onEvent(.damaged(nil))
            }
            completion(answer.mapError(\.refusal))
        }
    }

    /// Reads from one snapshot of the database, for calls that may read a whole text.
    func history<Answer>(
        of document: DocumentID, on queue: QueueConfined<Reader>? = nil,
        _ body: @escaping @Sendable (inout Reader) throws(PostgresFault) -> Answer,
        then completion: @escaping @Sendable (Result<Answer, HistoryRefusal>) -> Void
    ) {
        (queue ?? histories).async { [self] reader in
            completion(
                answer(document) { () throws(PostgresFault) in
                    try PostgresStore.tryingAgain { () throws(PostgresFault) in
                        try reader.rows.decide([document])
                        return try reader.reading(body)
                    }
                })
        }
    }

    /// Runs `body` once more if the connection was lost, because the next one may work at once. Only for what may run twice.
    static func tryingAgain<Answer>(
        _ body: () throws(PostgresFault) -> Answer
    ) throws(PostgresFault) -> Answer {
        do throws(PostgresFault) {
            return try body()
        } catch {
            guard error.endsConnection else { throw error }
            return try body()
        }
    }

    /// The answer of a call that reads a history. If the history is damaged, reports that, and accepts no
    /// more appends to it.
    func answer<Answer>(
        _ document: DocumentID, _ body: () throws(PostgresFault) -> Answer
    ) -> Result<Answer, HistoryRefusal> {
        let answer = Result(catching: body)
        if case .failure(let fault) = answer, fault.historyRefusal == .refused(.damaged) {
            shared.close(damaged: document, fault)
        }
        return answer.mapError(\.historyRefusal)
    }
}

extension PostgresRows {
    /// Waits until earlier commits of unknown outcome are decided.
    func decide(_ documents: [DocumentID]) throws(PostgresFault) {
        switch source {
        case .lane(let lane): try lane.decide(documents)
        case .transaction: break
        }
    }
}

extension Result where Failure == PostgresFault {
    /// The answer, or what `refused` makes of a fault.
    func answer(_ refused: (PostgresFault) -> Success) -> Success {
        switch self {
        case .success(let answer): answer
        case .failure(let fault): refused(fault)
        }
    }
}

extension Result<AppendOutcome, PostgresFault> {
    /// The outcome of an append that ran in a transaction.
    var appendOutcome: AppendOutcome {
        answer { $0.endsConnection ? .unknown : $0.appendOutcome }
    }
}

extension UpkeepEvent {
    /// The document of which other servers must hear that its history has changed.
    var changedDocument: DocumentID? {
        switch self {
        case .trimmed(let document, _), .redacted(let document): document
        case .damaged, .purged, .pushersForgotten: nil
        }
    }
}

extension PostgresEvent {
    init(_ event: UpkeepEvent) {
        switch event {
        case .damaged(let document): self = .damaged(document)
        case .trimmed(let document, let start): self = .trimmed(document, start: start.value)
        case .redacted(let document): self = .redacted(document)
        case .purged(let document): self = .purged(document)
        case .pushersForgotten(let document, let pushers):
            self = .pushersForgotten(document, pushers: pushers)
        }
    }
}
