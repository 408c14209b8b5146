/// What a user may do with a document. Each level includes all lower levels.
package enum Access: Int, Comparable, CaseIterable, Sendable {
    case none, read
    /// To write notes, and to suggest changes.
    case note
    case write, admin

    package static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
}

/// The documents that a right applies to.
package enum NameScope: Hashable, Sendable {
    case document(DocumentName)
    /// All documents whose names begin with these bytes. An empty prefix means every document.
    case prefix(ByteString)

    package func holds(_ name: DocumentName) -> Bool {
        switch self {
        case .document(let document): document == name
        case .prefix(let prefix): name.bytes.hasPrefix(prefix)
        }
    }

    /// The first possible name in the scope, in the order of names.
    package var start: ByteString {
        switch self {
        case .document(let name): name.bytes
        case .prefix(let prefix): prefix
        }
    }

    /// The part of the scope whose names begin with `prefix`; nil if there is none.
    func narrowed(to prefix: ByteString) -> NameScope? {
        switch self {
        case .document(let name): name.bytes.hasPrefix(prefix) ? self : nil
        case .prefix(let own) where own.hasPrefix(prefix): self
        case .prefix(let own): prefix.hasPrefix(own) ? .prefix(prefix) : nil
        }
    }
}

/// A right on one document, or on all documents with a prefix.
package struct Grant: Hashable, Sendable {
    package let scope: NameScope
    package let access: Access

    package init(_ access: Access, to scope: NameScope) {
        self.scope = scope
        self.access = access
    }
}

/// All rights of a user. If several grants apply, the highest one counts.
package struct Grants: Hashable, Sendable {
    /// The maximum number of grants of a token. The number is limited because `list` makes one request to the
    /// store for each grant.
    package static let most = 1_000
    /// No rights.
    package static let none = Grants(checked: [])
    /// Every right on every document, for servers without tokens.
    package static let all = Grants(checked: [Grant(.admin, to: .prefix(""))])

    package let grants: [Grant]

    package init(only grant: Grant) { self.init(checked: [grant]) }

    /// Nil if there are more grants than allowed.
    package init?(_ grants: [Grant]) {
        if grants.count > Grants.most { return nil }
        self.init(checked: grants)
    }

    private init(checked grants: [Grant]) { self.grants = grants }

    /// Whether the user may administer the server: the user needs admin rights on all documents.
    package var isForServer: Bool { grants.contains(Grant(.admin, to: .prefix(""))) }

    /// The most that the user may do with any document.
    package var most: Access { grants.map(\.access).max() ?? .none }

    package func access(to name: DocumentName) -> Access {
        var access = Access.none
        for grant in grants where grant.access > access && grant.scope.holds(name) { access = grant.access }
        return access
    }

    /// The readable names that begin with `prefix`, as scopes that do not overlap, in the order of names.
    package func readable(under prefix: ByteString) -> [NameScope] { scopes(of: .read, under: prefix) }

    /// The names that the user may write, as scopes that do not overlap, in the order of names.
    package var writable: [NameScope] { scopes(of: .write, under: "") }

    private func scopes(of access: Access, under prefix: ByteString) -> [NameScope] {
        let scopes = grants.filter { $0.access >= access }.compactMap { $0.scope.narrowed(to: prefix) }
        // If a prefix and a document have the same bytes, the prefix covers more and comes first.
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
