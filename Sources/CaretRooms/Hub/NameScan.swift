import CaretLog

/// A walk through the documents that somebody may read, in the order of their names.
///
/// The store is asked only for what he may read, so how much he may not read shows in nothing, and costs nothing.
struct NameScan: Equatable, Sendable {
    private var scopes: ArraySlice<NameScope>
    private var after: ByteString?

    init(_ grants: Grants, prefix: ByteString, after: ByteString? = nil) {
        scopes = grants.readable(under: prefix)[...]
        self.after = after
    }

    /// What the store is to be asked next; nil at the end.
    mutating func next(limit: Int) -> StoreCall? {
        while let scope = scopes.first {
            if let after, scope.lies(before: after) {
                scopes.removeFirst()
                continue
            }
            switch scope {
            case .document(let name): return .find(name)
            case .prefix(let prefix): return .list(prefix: prefix, after: after, limit: limit)
            }
        }
        return nil
    }

    /// Takes the store's answer; a document that cannot be told of is left out.
    mutating func take(_ answer: StoreAnswer) throws(RequestRefusal) -> [DocumentEntry] {
        switch answer {
        case .found(let result):
            scopes = scopes.dropFirst()
            switch result {
            case .success(let entry): return [entry]
            case .failure(.gone), .failure(.damaged): return []
            case .failure(let refusal): throw RequestRefusal(refusal)
            }
        case .listed(.failure(let refusal)): throw RequestRefusal(refusal)
        case .listed(.success(let listing)):
            // Behind a page of which no name is known there is nothing to go on from.
            if let last = listing.entries.last, listing.hasMore {
                after = last.name.bytes
            } else {
                scopes = scopes.dropFirst()
            }
            return listing.entries
        // No other answer belongs to this call.
        default: throw .confused
        }
    }
}

extension NameScope {
    /// Nothing of it comes behind this place in the order of names.
    fileprivate func lies(before after: ByteString) -> Bool {
        switch self {
        case .document(let name): name.bytes <= after
        case .prefix(let prefix): prefix < after && !after.hasPrefix(prefix)
        }
    }
}
