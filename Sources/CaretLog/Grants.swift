/// What somebody may do with a document; each level may do all that is below it.
package enum Access: Int, Comparable, CaseIterable, Sendable {
    case none, read, write, admin

    package static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
}

/// Which documents something holds for.
package enum NameScope: Hashable, Sendable {
    case document(DocumentName)
    /// Those whose names begin with these bytes; none at all is every document.
    case prefix(ByteString)

    package func holds(_ name: DocumentName) -> Bool {
        switch self {
        case .document(let document): document == name
        case .prefix(let prefix): name.bytes.hasPrefix(prefix)
        }
    }

    /// Where the scope begins in the order of names.
    package var start: ByteString {
        switch self {
        case .document(let name): name.bytes
        case .prefix(let prefix): prefix
        }
    }

    /// What of the scope begins with these bytes; nil where nothing does.
    func narrowed(to prefix: ByteString) -> NameScope? {
        switch self {
        case .document(let name): name.bytes.hasPrefix(prefix) ? self : nil
        case .prefix(let own) where own.hasPrefix(prefix): self
        case .prefix(let own): prefix.hasPrefix(own) ? .prefix(prefix) : nil
        }
    }
}

/// A right to some documents.
package struct Grant: Hashable, Sendable {
    package let scope: NameScope
    package let access: Access

    package init(_ access: Access, to scope: NameScope) {
        self.scope = scope
        self.access = access
    }
}

/// All that somebody has a right to. A right is never taken away by another grant: the highest one counts.
package struct Grants: Hashable, Sendable {
    /// Grants of one token: `list` asks the store once for each.
    package static let most = 1_000
    /// Every right to every document: where nobody needs a token.
    /// Nothing at all.
    package static let none = Grants(checked: [])
    package static let all = Grants(checked: [Grant(.admin, to: .prefix(""))])

    package let grants: [Grant]

    /// Nil where there are more than may be.
    package init?(_ grants: [Grant]) {
        if grants.count > Grants.most { return nil }
        self.init(checked: grants)
    }

    private init(checked grants: [Grant]) { self.grants = grants }

    /// Whoever may administer every document may administer the server.
    package var isForServer: Bool { grants.contains(Grant(.admin, to: .prefix(""))) }

    package func access(to name: DocumentName) -> Access {
        var access = Access.none
        for grant in grants where grant.access > access && grant.scope.holds(name) { access = grant.access }
        return access
    }

    /// What may be read of the names that begin with `prefix`: scopes that share no name, in the order of names.
    package func readable(under prefix: ByteString) -> [NameScope] {
        let scopes = grants.filter { $0.access >= .read }.compactMap { $0.scope.narrowed(to: prefix) }
        // Of two that begin alike the prefix is the wider one, and goes first.
        let sorted = scopes.sorted { ($0.start, $0.rank) < ($1.start, $1.rank) }
        var result: [NameScope] = []
        var widest: ByteString?
        for scope in sorted {
            if let widest, scope.start.hasPrefix(widest) { continue }
            if scope == result.last { continue }
            result.append(scope)
            if case .prefix(let prefix) = scope { widest = prefix }
        }
        return result
    }
}

extension NameScope {
    fileprivate var rank: Int {
        switch self {
        case .prefix: 0
        case .document: 1
        }
    }
}
