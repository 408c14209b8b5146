import CaretCore
import CaretLog
import CaretWire

/// A client that knows more than the store.
///
/// The room tells nobody of a revision before it is on disk. So a client that knows a revision beyond the head, in the
/// same epoch, was told of it before the store was put back to an older state in a way that the store did not notice.
/// The same revision numbers would then mean two texts. So the epochs are renewed, and everybody starts with the text
/// that the store has.
extension RoomState {
    /// The revision that a client left off at, if the document should have it and does not.
    func revisionBeyondHead(of opening: RoomOpening) -> Revision? {
        guard !trustsStore, let resume = opening.resume, resume.epoch == log.epochName,
            resume.revision > head
        else { return nil }
        return resume.revision
    }

    /// Has the epochs renewed before anybody is served anything more.
    mutating func queueForRenewal(_ opening: RoomOpening, _ known: Revision) {
        pause.add(.renewal(known: known))
        queue(.open(opening))
    }

    /// The store's answer to a `renewEpochs`: true if it did. Otherwise the client is wrong, and gets the text.
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
