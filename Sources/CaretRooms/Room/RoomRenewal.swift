import CaretCore
package import CaretLog
import CaretWire

/// A client that knows more than the store.
///
/// Nobody is told of a revision before it is on disk. So whoever knows one beyond the head, in the same epoch, was told of it
/// before the store was put back to an older state, in a way that the store did not notice. The same revision numbers
/// would mean two texts: the epochs are renewed, and everybody begins with the text that there is.
extension RoomState {
    /// The revision that a client left off at, where the document should have it and has not.
    func revisionBeyondHead(of opening: RoomOpening) -> Revision? {
        guard !trustsStore, let resume = opening.resume, resume.epoch == epochName, resume.revision > head
        else { return nil }
        return resume.revision
    }

    /// Has the epochs renewed before anybody is served anything more.
    mutating func holdForRenewal(_ opening: RoomOpening, _ known: Revision) {
        standstills.append(.renewal(known: known))
        hold(.open(opening))
    }

    /// The store's answer to `renewEpochs`: true where it did. Otherwise the client is wrong, and gets the text.
    package mutating func epochsRenewed(_ result: Result<Bool, StoreRefusal>) -> [RoomAction] {
        guard over == nil, standing == .asked, case .renewal? = standstills.first else { return finished() }
        takeStandstill()
        if case .success(true) = result { needReload() } else { trustsStore = true }
        goOn()
        return finished()
    }

    /// The store has renewed the epochs of all documents.
    package mutating func renewed() -> [RoomAction] {
        if over == nil { needReload() }
        return finished()
    }
}
