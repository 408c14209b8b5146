/// A right on one document, or on all documents whose names share a prefix.
package struct WireGrant: Equatable, Sendable {
    package enum Scope: Equatable, Sendable {
        case document(WireString)
        case prefix(WireString)
    }

    package var rights: GrantedRights
    package var scope: Scope

    package init(_ rights: GrantedRights, to scope: Scope) {
        self.rights = rights
        self.scope = scope
    }

    /// `limit` bounds the bytes of the name or prefix.
    init(_ value: JSONValue, atMost limit: Int, _ limits: Limits.Announced) throws(FieldFault) {
        let fields = try Fields(value, limits: limits)
        rights = try fields.word("rights")
        switch (fields.has("doc"), fields.has("prefix")) {
        case (true, false): scope = .document(try fields.string("doc", atMost: limit, orElse: .badName))
        case (false, true): scope = .prefix(try fields.string("prefix", atMost: limit))
        case (false, false): throw fields.fault("doc", "is missing, and so is prefix; expected one of them")
        case (true, true): throw fields.fault("prefix", "is given together with doc; expected one of them")
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("rights", rights)
        switch scope {
        case .document(let name): writer.member("doc", name)
        case .prefix(let prefix): writer.member("prefix", prefix)
        }
        writer.endObject()
    }
}

/// What a grant allows. Each right includes all lower rights.
package enum GrantedRights: String, CaseIterable, WireWord {
    case read, write, admin
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ grants: [WireGrant]) {
        member(name, grants) { writer, grant in grant.write(to: &writer) }
    }
}
