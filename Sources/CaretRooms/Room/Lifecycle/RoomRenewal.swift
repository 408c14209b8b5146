import CaretCore
import CaretLog
import CaretWire

/// A client that knows more than the store.
///
/// The room sends nothing about a revision before it is on disk. So if a client knows a revision beyond the
/// head, in the same epoch, the store was put back to an older state without noticing. The same revision
/// numbers would then mean two texts. So the epochs are renewed, and everybody starts with the text that the
/// store has.
extension RoomState {
    /// The revision that a client resumes from, if it is beyond the head.
    func revisionBeyondHead(of opening: RoomOpening) -> Revision? {
        guard !trustsStore, let resume = opening.resume, resume.epoch == log.epochName,
            resume.revision > head
        else { return nil }
        return resume.revision
    }

    /// Renews the epochs before anybody is served again.
    mutating func queueForRenewal(_ opening: RoomOpening, _ known: Revision) {
        pause.add(.renewal(known: known))
        queue(.open(opening))
    }

    /// The store's answer to `renewEpochs`: true if it renewed them. Otherwise the client is wrong, and gets
    /// the text.
    mutating func epochsRenewed(_ result: Result<Bool, StoreRefusal>) {
        guard closedWith == nil, case .renewal? = pause.asked else { return }
        pause.finishFirst()
        if case .success(true) = result { requestReload() } else { trustsStore = true }
        resume()
    }

    /// The store has renewed the epochs of all documents.
    mutating func renewed() {
        if closedWith == nil { requestReload() }
    }
}
