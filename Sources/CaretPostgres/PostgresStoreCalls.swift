import CaretConcurrency
import CaretCore
package import CaretFormat
package import CaretLog
@preconcurrency import Dispatch

// How calls run on the connections of the store.
extension PostgresStore {
    package func write(
        _ waiting: WaitingCall, to document: DocumentID?,
        _ body: @escaping @Sendable (inout DocumentWriter) throws(PostgresFault) -> StoreAnswer
    ) {
        // If the first try to create a document was committed, the second one finds the document.
        let canRepeat = if case .create = waiting.call { true } else { false }
        attempt(on: writes, as: .short) { lane in
            func write() throws(PostgresFault) -> StoreAnswer {
                try lane.write(to: document.map { [$0] } ?? [], body)
            }
            return Result { () throws(PostgresFault) in
                try canRepeat ? PostgresStore.tryingAgain(write) : write()
            }
        } then: { [self] in
            written(waiting, $0)
        }
    }

    /// Publishes what a call has written, and answers the call.
    func written(_ waiting: WaitingCall, _ result: Result<StoreAnswer, PostgresFault>) {
        switch result {
        case .success(let answer):
            if let notification = answer.notification(of: waiting.call) {
                postgresBus.publish([notification])
            }
            waiting.answer(answer)
        case .failure(let fault):
            shared.report(fault)
            waiting.answer(fault.answer(to: waiting.call))
        }
    }

    /// Runs `body` on the connection. If somebody else holds a lock that it needs, other calls go on, and it is tried
    /// again.
    func attempt<Value, Answer>(
        on connection: SharedConnection<Value>, as callClass: CallClass,
        until end: ContinuousClock.Instant = .now + LockPatience.most,
        _ body: @escaping @Sendable (inout Value) -> Result<Answer, PostgresFault>,
        then completion: @escaping @Sendable (Result<Answer, PostgresFault>) -> Void
    ) {
        openCalls.begin()
        connection.async(as: callClass) { value in
            self.attempt(body, &value, on: connection, as: callClass, until: end, then: completion)
        }
    }

    private func attempt<Value, Answer>(
        _ body: @escaping @Sendable (inout Value) -> Result<Answer, PostgresFault>, _ value: inout Value,
        on connection: SharedConnection<Value>, as callClass: CallClass, until end: ContinuousClock.Instant,
        then completion: @escaping @Sendable (Result<Answer, PostgresFault>) -> Void
    ) {
        let answer = body(&value)
        if LockPatience.isTriedAgain(answer, until: end), !openCalls.isClosing {
            connection.async(as: callClass, after: .milliseconds(LockPatience.pause)) { value in
                self.attempt(body, &value, on: connection, as: callClass, until: end, then: completion)
            }
        } else {
            completion(answer)
            openCalls.end()
        }
    }

    package func lookup(
        _ waiting: WaitingCall, of document: DocumentID?, isOpening: Bool,
        _ body: @escaping @Sendable (inout HistoryReader<Lane>) throws(PostgresFault) -> StoreAnswer
    ) {
        attempt(on: reads, as: .short) { readers in
            Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    if let document { try readers.lane.waitForOutcomes(of: [document]) }
                    let answer = try readers[.short].reading(body)
                    if answer.mustBeSafe { try readers.lane.waitForReplication() }
                    return answer
                }
            }
        } then: { [self] result in
            if case .failure(let fault) = result, fault.refusal == .damaged, !isOpening {
                close(damaged: nil, fault)
            }
            waiting.answer(result.mapError(\.historyRefusal))
        }
    }

    package func history(
        _ waiting: WaitingCall, of document: DocumentID, isHead: Bool,
        _ body: @escaping @Sendable (inout HistoryReader<Lane>) throws(PostgresFault) -> StoreAnswer
    ) {
        let callClass: CallClass = isHead ? .short : .long
        attempt(on: reads, as: callClass) { readers in
            Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.waitForOutcomes(of: [document])
                    return try readers[callClass].reading(body)
                }
            }
        } then: { [self] in
            waiting.answer(closingIfDamaged(document, $0))
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
    func closingIfDamaged<Answer>(
        _ document: DocumentID, _ answer: Result<Answer, PostgresFault>
    ) -> Result<Answer, HistoryRefusal> {
        if case .failure(let fault) = answer, fault.historyRefusal == .refused(.damaged) {
            close(damaged: document, fault)
        }
        return answer.mapError(\.historyRefusal)
    }

    package func close(damaged document: DocumentID?, _ fault: PostgresFault) {
        if let document { return shared.close(damaged: document, fault) }
        shared.reportRow(fault)
        shared.onEvent(.damaged(nil))
    }
}

extension PostgresFault {
    /// The answer to a call that wrote in a transaction and failed.
    fileprivate func answer(to call: StoreCall) -> StoreAnswer {
        switch call {
        case .append where endsConnection: .appended(.unknown)
        case .appendLocked where endsConnection: .appendedLocked(missed: [], .unknown)
        default: call.refused(historyRefusal)
        }
    }
}

extension StoreAnswer {
    /// What other servers must learn from the answer to a call; nil if nothing.
    fileprivate func notification(of call: StoreCall) -> PeerNotification? {
        switch (call, self) {
        case (.appendLocked(let append, _), .appendedLocked(_, .committed(let head))):
            .head(append.document, head)
        case (.append(let append), .appended(.committed)): .changed(append.document)
        case (_, .created(.created(let entry))): .changed(entry.id)
        case (.rename(let document, _), .renamed(.renamed)), (.delete(let document, _), .deleted(nil)),
            (.undelete(let document), .undeleted(.undeleted)):
            .changed(document)
        // Also if a suggestion was accepted: the others compare the document with the store.
        case (.notes(let call), .notes(.written(.written))), (.notes(let call), .notes(.written(.removed))):
            .changed(call.document)
        case (.tokens(.revoke(let token, _)), .tokens(.revoked(nil))): .revoked(token)
        case (.tokens(.signOut), .tokens(.noted(nil))): .signedOut
        default: nil
        }
    }

    /// Whether the answer must be on the standbys, too: a push that is found is acked.
    fileprivate var mustBeSafe: Bool {
        switch self {
        case .pusher(.success(let answer)): answer.entry != nil
        case .loaded(.success(let document)): document.opener != nil
        default: false
        }
    }
}

extension UpkeepEvent {
    /// The document, if its history has changed. Other servers must be notified.
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
