import CaretCore
import CaretWire

/// A client that sends requests about documents. It may have documents open, but ignores their changes.
final class Admin: Program {
    private unowned let machine: Machine
    /// For each document name, the newest position that the client has received.
    private var known: [WirePosition?] = Plan.names.map { _ in nil }
    private var seq = 0
    private var lastTag = 0

    init(_ machine: Machine) { self.machine = machine }

    func welcomed() {}
    func lost() {}
    func finishWork() {}
    func unfinishedWork() -> String? { nil }
    func checkFinalState() {}

    func received(_ envelope: Envelope<ServerMessage>) {
        switch envelope.message {
        case .document(let document): learn(document.document, document.epoch, document.revision)
        case .listed(let listed): for one in listed.documents { learn(one.document, one.epoch, one.revision) }
        case .text(let text): learn(text.document, text.epoch, text.revision)
        default: break
        }
    }

    private func learn(_ name: WireString, _ epoch: WireString, _ revision: Revision) {
        guard let at = Names.documents.firstIndex(of: name) else { return }
        // The answer to a read of an old revision must not replace a newer one.
        if let known = known[at], known.epoch == epoch, known.revision > revision { return }
        known[at] = WirePosition(epoch: epoch, revision: revision)
    }

    private func revision(_ at: Int, _ perMille: Int) -> Revision {
        Revision((known[at]?.revision.value ?? 0) * perMille / 1_000)
    }

    func perform(_ operation: ClientOperation) {
        guard machine.isWelcomed else { return }
        switch operation {
        // Sends requests even if they are not valid now, such as a second open. The server refuses them.
        case .opens(let at), .retries(let at): ask(.open(Open(document: Names.documents[at])))
        case .closes(let at): ask(.close(Close(document: Names.documents[at])))
        case .lists: ask(.list(List(limit: 3)))
        case .reads(let at, let share):
            let moment = share.map { Moment.revision(revision(at, $0)) } ?? .unspecified
            ask(.read(Read(document: Names.documents[at], moment: moment)))
        case .looksBack(let at, let share):
            let after = Moment.revision(revision(at, share))
            ask(.history(History(document: Names.documents[at], after: after, limit: 20, wantsEdits: true)))
        case .follows: ask(.follow(Follow()))
        case .unfollows: ask(.unfollow(Unfollow()))
        case .renames(let at, let to):
            ask(.rename(Rename(document: Names.documents[at], to: Names.documents[to])))
        case .copies(let at, let to):
            let copy = CopyDocument(document: Names.documents[at], to: Names.documents[to])
            ask(.tags(.copy(copy)))
        case .tags(let at, let share):
            lastTag += 1
            let tag = AddTag(
                document: Names.documents[at], name: WireString("t\(lastTag)"), revision: revision(at, share))
            ask(.tags(.add(tag)))
        case .deletes(let at): ask(.delete(Delete(document: Names.documents[at])))
        case .restores(let at, let share):
            guard let known = known[at] else { return }
            seq += 1
            let restore = Restore(
                document: Names.documents[at], epoch: known.epoch, revision: revision(at, share), seq: seq)
            ask(.restore(restore))
        default: break
        }
    }

    private func ask(_ message: ClientMessage) { machine.send(message, isAnswered: true) }
}
