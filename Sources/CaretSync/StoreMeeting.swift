package import CaretClient
import CaretWire

/// The store of a server, and whether the folder was synced with it before.
package struct StoreMeeting: Equatable, Sendable {
    package enum Verdict: Equatable {
        /// The folder was synced with no store before, or with none of these documents.
        case first
        case same
        /// The store is that of the folder, restored from a backup or put back in another way. Later commits
        /// are missing.
        case restored
        case other(known: String)
    }

    package let store: String
    /// The documents' own parts of their epochs.
    let documents: Set<String>

    package init(store: String, documents: Set<String>) { (self.store, self.documents) = (store, documents) }

    package init(_ client: LiveClient, prefix: String) async throws {
        guard let store = try await client.welcome().store?.string else {
            throw SyncFault.serverWithoutStore(client.address)
        }
        var documents: Set<String> = []
        var last: String?
        repeat {
            let page = try await client.list(prefix: prefix, after: last, limit: 1_000)
            documents.formUnion(page.documents.compactMap { StoreMeeting.ownPart(of: $0.epoch) })
            last = page.hasMore ? page.documents.last?.name : nil
        } while last != nil
        (self.store, self.documents) = (store, documents)
    }

    package func verdict(on state: SyncState) -> Verdict {
        guard let known = state.store else { return .first }
        if known.isSame(as: store) { return .same }
        let synced = state.records.values.compactMap {
            ($0.head?.epoch).flatMap { StoreMeeting.ownPart(of: $0) }
        }
        if synced.isEmpty { return .first }
        return synced.contains { documents.contains($0) } ? .restored : .other(known: known)
    }

    /// The part of an epoch after the dot. A document keeps it when its store is restored.
    package static func ownPart(of epoch: String) -> String? {
        let parts = epoch.split(separator: ".", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : nil
    }
}
