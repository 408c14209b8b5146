import CaretLog
import CaretWire

/// A check or a backup that waits until another one has ended.
package struct WaitingMaintenance: Equatable, Sendable {
    let call: AdminCall
    let request: HubRequest
}

/// Long operations: checks and backups of the store. One runs at a time, and its requester can send other
/// requests meanwhile.
extension HubState {
    /// Enough for everybody who makes a backup at the same time of day.
    package static let mostWaitingMaintenance = 16

    /// The long request that is under way.
    private var maintenance: HubRequest? {
        for case .maintenance(let request) in calls.values { return request }
        return nil
    }

    mutating func beginMaintenance(_ call: AdminCall, _ job: AdminJob) {
        if waitingMaintenance.count >= HubState.mostWaitingMaintenance {
            let message =
                "a check or a backup is running, and \(waitingMaintenance.count) others wait; try again later"
            return refuse(job.request, RequestRefusal(.overloaded, message))
        }
        emit(.sendToConnection(job.request.connection, .startedLongRequest))
        waitingMaintenance.append(WaitingMaintenance(call: call, request: job.request))
        beginNextMaintenance()
    }

    private mutating func beginNextMaintenance() {
        while maintenance == nil, !waitingMaintenance.isEmpty {
            let next = waitingMaintenance.removeFirst()
            guard joinedConnections.isPresent(next.request.connection) else { continue }
            if let refusal = adminRefusal(of: next.request) {
                report(refusal, to: next.request)
                continue
            }
            // The name of a backup is the time when it begins.
            let call: AdminCall = if case .backUp = next.call { .backUp(at: now) } else { next.call }
            administer(call, for: .maintenance(next.request))
        }
    }

    /// The progress of a long call.
    mutating func progressed(_ id: CallID, _ progress: MaintenanceProgress) {
        guard case .maintenance(let request) = calls[id] else { return }
        if adminRefusal(of: request) == nil { report(.admin(.progress(progress)), to: request) }
    }

    mutating func maintenanceAnswered(_ answer: AdminCallAnswer, for request: HubRequest) {
        switch answer {
        // The backup was made. The requester is informed even after losing the right to administer.
        case .backedUp(.success(let backedUp)): report(.admin(.backedUp(backedUp)), to: request)
        case .backedUp(.failure(let refusal)): report(RequestRefusal(ofBackup: refusal), to: request)
        case .verified(let result): checked(result, for: request)
        case .counted, .nodes: report(.unexpectedAnswer, to: request)
        }
        beginNextMaintenance()
    }

    private mutating func checked(_ result: Result<Verified, StoreRefusal>, for request: HubRequest) {
        // The requester may have lost the right to administer the server meanwhile.
        if let refusal = adminRefusal(of: request) { return report(refusal, to: request) }
        switch result {
        case .success(var verified):
            let page = AnswerPage(of: verified.findings, within: limits.pageBytes, \.encodedBytes)
            verified.findings = page.items
            verified.hasMore = verified.hasMore || page.hasMore
            report(.admin(.verified(verified)), to: request)
        case .failure(let refusal): report(RequestRefusal(ofCheck: refusal), to: request)
        }
    }

    /// Gives up all long requests because the server stops. Their results will not be reported.
    mutating func abandonMaintenance() {
        for request in [maintenance].compactMap(\.self) + waitingMaintenance.map(\.request) {
            report(.shuttingDown, to: request)
        }
        waitingMaintenance = []
        calls = calls.filter { if case .maintenance = $0.value { false } else { true } }
    }

    private mutating func report(_ refusal: RequestRefusal, to request: HubRequest) {
        report(.error(ErrorReport(refusal, document: nil)), to: request)
    }

    private mutating func report(_ message: ServerMessage, to request: HubRequest) {
        guard joinedConnections.isPresent(request.connection) else { return }
        emit(.sendToConnection(request.connection, .reported(Envelope(message, id: request.id))))
    }
}

extension RequestRefusal {
    static let databaseHasBackups = RequestRefusal(
        .storageFailed,
        "no backup was made: the texts are in a PostgreSQL database; use pg_basebackup or pg_dump")

    fileprivate init(ofBackup refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .unexpectedAnswer
        case .damaged:
            self.init(.damaged, "the store is damaged, so no backup was made; verify lists the damage")
        case .full: self.init(.storageFull, "the disk is full; no backup was made")
        case .failed:
            self.init(
                .storageFailed,
                "no backup was made: the disk failed, or the file could not be made; the log says why")
        case .away: self.init(refusal)
        }
    }

    fileprivate init(ofCheck refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .unexpectedAnswer
        case .damaged: self.init(.damaged, "the store is so damaged that it could not be checked")
        case .full: self.init(.storageFull, "the disk is full, so the store could not be checked")
        case .failed:
            self.init(
                .storageFailed, "the disk failed, so the store could not be checked; the log says why")
        case .away: self.init(refusal)
        }
    }
}
