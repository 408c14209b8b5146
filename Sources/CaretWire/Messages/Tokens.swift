extension TokenSummary {
    package enum State: Hashable, Sendable {
        case sound(TokenDetails)
        /// The token's row is damaged. The token cannot be used, only revoked.
        case damaged
    }
}

extension TokenSummary.State {
    init(_ fields: Fields) throws(FieldFault) {
        self = try fields.flag("damaged") ? .damaged : .sound(try TokenDetails(fields))
    }

    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .sound(let token): token.writeMembers(to: &writer)
        case .damaged: writer.member("damaged", true)
        }
    }
}

extension WireGrant {
    package enum Scope: Hashable, Sendable {
        case document(WireString)
        case prefix(WireString)
    }
}

extension WireGrant.Scope {
    init(_ fields: Fields) throws(FieldFault) {
        switch (fields.has("doc"), fields.has("prefix")) {
        case (true, false): self = .document(try fields.document("doc"))
        case (false, true): self = .prefix(try fields.string("prefix", atMost: Limits.name))
        case (false, false): throw fields.fault("doc", "is missing, and so is prefix; expected one of them")
        case (true, true): throw fields.fault("prefix", "is given together with doc; expected one of them")
        }
    }

    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .document(let name): writer.member("doc", name)
        case .prefix(let prefix): writer.member("prefix", prefix)
        }
    }
}
