import CaretLog
package import CaretWire

/// What takes long: checks and copies of the store. One is under way at a time, and whoever asked for it asks other
/// things meanwhile.
extension HubState {
    mutating func beginCare(_ call: AdminCall, _ job: AdminJob) {
        if care != nil {
            let message = "a check or a backup is under way; try again when it has ended"
            return refuse(job.request, HubRefusal(.overloaded, message))
        }
        care = job.request
        order(.tell(job.request.connection, .begun))
        self.call(.admin(call), for: .care)
    }

    /// How far a call has come that takes long.
    package mutating func progressed(_ id: CallID, _ progress: CareProgress) -> [HubAction] {
        guard calls[id] == .care else { return [] }
        report(.admin(.progress(progress)))
        return settled()
    }

    mutating func cared(_ answer: StoreAnswer) {
        switch answer {
        case .admin(.verified(.success(let verified))): report(.admin(.verified(verified)))
        case .admin(.backedUp(.success(let backedUp))): report(.admin(.backedUp(backedUp)))
        case .admin(.verified(.failure(let refusal))), .admin(.backedUp(.failure(let refusal))):
            reportRefusal(HubRefusal(ofCare: refusal))
        case .admin(.counted), .admin(.deleted), .admin(.undeleted), .admin(.trimmed), .found, .created,
            .text,
            .read, .listed, .entries, .renamed, .deleted, .tokens:
            reportRefusal(.confused)
        }
        care = nil
    }

    /// The server stops: whatever comes of it is told nobody any more.
    mutating func abandonCare() {
        if care != nil { reportRefusal(.shuttingDown) }
        care = nil
        calls = calls.filter { $0.value != .care }
    }

    private mutating func reportRefusal(_ refusal: HubRefusal) {
        report(.error(ErrorReport(refusal.code, refusal.message)))
    }

    private mutating func report(_ message: ServerMessage) {
        guard let care, attendance.isPresent(care.connection), adminRefusal(of: care) == nil else { return }
        order(.tell(care.connection, .reported(Envelope(message, id: care.id))))
    }
}

extension HubRefusal {
    fileprivate init(ofCare refusal: StoreRefusal) {
        switch refusal {
        case .gone: self = .notFound
        case .damaged: self.init(.damaged, "the store is damaged, so there is no backup; verify tells where")
        case .full: self.init(.storageFull, "the disk is full; there is no backup")
        case .failed: self.init(.storageFailed, "the disk failed, or the file could not be made")
        }
    }
}
