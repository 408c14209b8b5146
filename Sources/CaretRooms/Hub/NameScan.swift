import CaretLog

/// A scan of the documents that a client may read, in the order of names.
///
/// The store is called only for names that the client may read. So hidden documents cost nothing and cannot
/// be noticed.
package struct NameScan: Equatable, Sendable {
    private var scopes: ArraySlice<NameScope>
    private var after: ByteString?

    init(_ grants: Grants, prefix: ByteString, after: ByteString? = nil) {
        scopes = grants.readable(under: prefix)[...]
        self.after = after
    }

    /// The next call to the store; nil at the end.
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

    /// Handles the store's answer, and returns the entries. Documents that are missing or damaged are left
    /// out.
    mutating func receive(_ answer: StoreAnswer) throws(RequestRefusal) -> [DocumentEntry] {
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
            // If a page has no entries, there is no last name after which the next page could begin.
            if let last = listing.entries.last, listing.hasMore {
                after = last.name.bytes
            } else {
                scopes = scopes.dropFirst()
            }
            return listing.entries
        // The store gives no other answer to this call.
        default: throw .unexpectedAnswer
        }
    }
}

extension NameScope {
    /// Whether all names of the scope come before `after`, or equal it.
    fileprivate func lies(before after: ByteString) -> Bool {
        switch self {
        case .document(let name): name.bytes <= after
        case .prefix(let prefix): prefix < after && !after.hasPrefix(prefix)
        }
    }
}
