package import CaretClient
import CaretWire

/// The store of a server, and whether the folder was synced with it before.
package struct StoreComparison: Equatable, Sendable {
    package enum Outcome: Equatable {
        /// The folder was never synced with a store, or none of its files was synced with a document.
        case first
        case same
        /// The folder was synced with this store. Since then the store was restored, for example from a
        /// backup, so later commits are missing.
        case restored
        case other(known: String)
    }

    package let store: String
    /// For each document, the part of its epoch that `ownPart` returns.
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
            documents.formUnion(page.documents.compactMap { StoreComparison.ownPart(of: $0.epoch) })
            last = page.hasMore ? page.documents.last?.name : nil
        } while last != nil
        (self.store, self.documents) = (store, documents)
    }

    package func outcome(on state: SyncState) -> Outcome {
        guard let known = state.store else { return .first }
        if known.isSame(as: store) { return .same }
        let synced = state.records.values.compactMap {
            ($0.head?.epoch).flatMap { StoreComparison.ownPart(of: $0) }
        }
        if synced.isEmpty { return .first }
        return synced.contains { documents.contains($0) } ? .restored : .other(known: known)
    }

    /// The part of an epoch after the dot. A document keeps this part when its store is restored.
    package static func ownPart(of epoch: String) -> String? {
        let parts = epoch.split(separator: ".", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : nil
    }
}
