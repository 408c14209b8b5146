import CaretCore
import CaretLog
import CaretWire

/// Handles a client that knows a newer revision than the store.
///
/// The room sends a revision only after it is on disk. Suppose a client knows a revision beyond the head, in
/// the same epoch. Then the database was replaced by an older copy, and the store did not notice. From then
/// on, the same revision number could mean two different texts. So the store renews the epochs, and every
/// client starts again with the store's text.
extension RoomState {
    /// The revision for which an opening must renew the epochs: the client resumes from it, and it is beyond
    /// the head. A client that may only read gets the text, because a renewal concerns all documents.
    mutating func renewalRevision(for opening: RoomOpening) -> Revision? {
        guard let resume = opening.resume, resume.epoch == log.epochName, resume.revision > head else {
            return nil
        }
        guard opening.rights == .write else {
            effects.notes.readersAhead.append(opening.session)
            return nil
        }
        return isRenewalRefused ? nil : resume.revision
    }

    /// Pauses the room to renew the epochs. The opening waits until the pause ends.
    mutating func queueForRenewal(_ opening: RoomOpening, _ known: Revision) {
        pause.add(.renewal(known: known))
        queue(.open(opening))
    }

    /// Handles the store's answer to `renewEpochs`: true if the store renewed the epochs. If the store did
    /// not renew them, the client's revision is wrong, and the client gets the whole text.
    mutating func epochsRenewed(_ result: Result<Bool, StoreRefusal>) {
        guard closedWith == nil, case .renewal? = pause.calling else { return }
        pause.finishFirst()
        if case .success(true) = result { requestReload() } else { isRenewalRefused = true }
        resume()
    }

    /// The store has renewed the epochs of all documents.
    mutating func renewed() {
        if closedWith == nil { requestReload() }
    }
}
