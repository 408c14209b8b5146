package import CaretLog
package import CaretWire

/// The claims of a token that `TokenSigner` signs.
package struct SigningClaims: Equatable, Sendable {
    package var user: WireString
    package var audience: WireString
    /// Times are in seconds since 1970.
    package var issued: Int64
    package var expires: Int64
    package var grants: Grants
    package var name: WireString?
    package var color: WireString?
    /// The claim `jti`.
    package var id: WireString?

    package init(
        user: WireString, audience: WireString, issued: Int64, expires: Int64, grants: Grants,
        name: WireString? = nil, color: WireString? = nil, id: WireString? = nil
    ) {
        self.user = user
        self.audience = audience
        self.issued = issued
        self.expires = expires
        self.grants = grants
        self.name = name
        self.color = color
        self.id = id
    }

    var object: JSONObject {
        var object = JSONObject()
        object.append("sub", .string(user))
        object.append("aud", .string(audience))
        object.append("iat", .integer(Int(issued)))
        object.append("exp", .integer(Int(expires)))
        for (claim, value) in [("jti", id), ("name", name), ("color", color)] as [(WireString, WireString?)] {
            if let value { object.append(claim, .string(value)) }
        }
        object.append("caret", .object(rights))
        return object
    }

    private var rights: JSONObject {
        var rights = JSONObject()
        for (word, access) in [("read", .read), ("note", .note), ("write", .write), ("admin", .admin)]
            as [(WireString, Access)]
        {
            let scopes = grants.grants.filter { $0.access == access }.map {
                JSONElement.string($0.scope.written)
            }
            if !scopes.isEmpty { rights.append(word, .array(scopes)) }
        }
        return rights
    }
}

extension NameScope {
    /// The scope in the words of `caret token add`.
    fileprivate var written: WireString {
        switch self {
        case .document(let name): WireString("=" + name.description)
        case .prefix(let prefix): WireString(prefix.string)
        }
    }
}
