import CaretCore
import CaretLog
import CaretRooms
import CaretWire
import TestSupport

struct MadeCopy: Hashable {
    let client: Int
    let name: WireString
}

/// Checks copies of documents.
extension Referee {
    /// The store has copied a document.
    func copied(_ copy: DocumentCopy, _ entry: DocumentEntry) {
        counts.copies += 1
        ledger.begin(entry)
        guard let history = try? world.store.model.read(entry.id, after: 0, limit: .max).get() else {
            return fail(.copy, "the store cannot read the copy that it has made")
        }
        let changes = history.segment.changes.map { PushedChange($0, digest: Digest(.zero)) }
        committed(changes, entry.id, after: 0)
        compare(entry, with: copy.source)
        guard let client = client(of: copy.pusher) else { return }
        copiesMade[MadeCopy(client: client, name: WireString(entry.name.description)), default: 0] += 1
    }

    /// The copy must have the text that the source has now, and the texts that its tags name.
    /// Rules D18 and D19.
    private func compare(_ entry: DocumentEntry, with document: DocumentID) {
        guard let source = ledger.history(of: document), let copy = ledger.history(of: entry.id),
            let tags = try? world.store.model.tagged(document).get().tags,
            let copied = try? world.store.model.tagged(entry.id).get().tags
        else { return fail(.copy, "document \(document.value) or its copy is not in the log") }
        if copy.text != source.text { fail(.copy, "a copy has another text than document \(document.value)") }
        if copy.head.value > Set(tags.map(\.revision)).count + 1 {
            fail(.copy, "a copy of document \(document.value) has revisions that nothing names")
        }
        let revisions = Dictionary(uniqueKeysWithValues: copied.map { ($0.name, $0.revision) })
        let isSame = tags.allSatisfy { tag in
            revisions[tag.name].map { copy.text(at: $0) == source.text(at: tag.revision) } ?? false
        }
        if !isSame || copied.count != tags.count {
            fail(.copy, "a copy of document \(document.value) has other tags, or they name other texts")
        }
    }

    /// A client has received `done` for a copy.
    func reportedCopy(_ copy: CopyDocument, _ link: Link) {
        let key = MadeCopy(client: link.client, name: copy.to)
        copiesReported[key, default: 0] += 1
        if copiesReported[key, default: 0] > copiesMade[key, default: 0] {
            fail(.copy, "client \(link.client) received `done` for a copy \(copy.to), which was not made")
        }
    }

    /// Rule D19.
    func check(_ own: OwnPush, ofCopyIn history: Ledger.History, _ link: Link) {
        guard let logged = history.change(at: own.revision), logged.seq == 0,
            client(of: logged.pusher) == link.client
        else {
            return fail(.copy, "client \(link.client) received \(own) as its copy, which another client made")
        }
    }
}
