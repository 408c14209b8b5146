import CaretClient
import CaretWire

// Whether the server still has the history that the records were made from.
//
// If somebody replaces the whole data folder of a server with an older copy, the server does not notice, and
// the epochs stay the same. Then a recorded revision is beyond the head, or the same number means another text.
// A push with such a base would remove text, and documents that are missing would count as deleted. So after
// each new list of documents, a record is compared with the server's history before it is used.
extension Syncer {
    /// Whether the record of a file still has to be compared with the server's history.
    func isUnproven(_ path: WireString) -> Bool {
        state.records[path]?.head?.epoch.map { unproven.contains(WireString($0)) } ?? false
    }

    /// Whether the server lists an older revision than the record of a file has.
    func isListedBelowHead(_ path: WireString, _ document: WireString) -> Bool {
        guard let head = state.records[path]?.head, let epoch = head.epoch, news.lists(epoch, as: document)
        else { return false }
        return news.documents[document].map { $0.revision < head.revision } ?? false
    }

    /// Compares the record of a file with the server's history. Returns false if this is not possible now.
    /// Throws `StorePutBack` if the server has an older store.
    func prove(_ path: WireString, _ document: WireString) async throws -> Bool {
        guard let head = state.records[path]?.head, let epoch = head.epoch else { return true }
        if let name = news.name(of: epoch, knownAs: document) { return try await prove(head, of: name) }
        // Either somebody deleted the document, or the store is older than the document. The other documents
        // show which.
        for (other, record) in state.records.sorted(by: { $0.key < $1.key }) {
            guard let head = record.head, let epoch = head.epoch, unproven.contains(WireString(epoch)),
                let known = names.document(of: other), let name = news.name(of: epoch, knownAs: known)
            else { continue }
            guard try await prove(head, of: name) else { return false }
        }
        unproven = []
        return true
    }

    private func prove(_ head: SyncRecord.Head, of document: WireString) async throws -> Bool {
        guard server.isConnected, let epoch = head.epoch else { return false }
        let list = listCount
        do {
            let there = try await ask(holding: head.text.utf8.count) {
                try await server.read(document, at: head.revision)
            }
            guard list == listCount, there.isOf(epoch) else { return false }
            if there.text.isSame(as: head.text) {
                unproven.remove(WireString(epoch))
                return true
            }
        } catch let refusal as ServerRefusal {
            switch refusal.code {
            case .baseAhead: break
            // The history was trimmed, so there is nothing to compare with.
            case .baseTrimmed:
                unproven.remove(WireString(epoch))
                return true
            case .notFound: return false
            default: throw refusal
            }
        }
        throw StorePutBack()
    }
}

/// The server has an older state of the store that the folder was synced with.
package struct StorePutBack: Error {}
