/// An administrator's request about the server as a whole.
package enum AdminRequest: Equatable, Sendable {
    case listTokens(ListTokens)
    case addToken(AddToken)
    case revokeToken(RevokeToken)
    case counters(ReadCounters)
    case who(Who)
    case listNodes(ListNodes)
    case listDeleted(ListDeleted)
    case undelete(Undelete)
    case trim(Trim)
    case redact(Redact)
    case verify(Verify)
    case backUp(BackUp)

    /// The types of all administrative requests.
    static let types: [StaticString] = [
        ListTokens.type, AddToken.type, RevokeToken.type, ReadCounters.type, Who.type, ListNodes.type,
        ListDeleted.type, Undelete.type, Trim.type, Redact.type, Verify.type, BackUp.type,
    ]

    /// Decodes the request of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(ListTokens.type) {
            self = .listTokens(try ListTokens(fields))
        } else if type.equals(AddToken.type) {
            self = .addToken(try AddToken(fields))
        } else if type.equals(RevokeToken.type) {
            self = .revokeToken(try RevokeToken(fields))
        } else if type.equals(ReadCounters.type) {
            self = .counters(ReadCounters())
        } else if type.equals(Who.type) {
            self = .who(try Who(fields))
        } else if type.equals(ListNodes.type) {
            self = .listNodes(ListNodes())
        } else if type.equals(ListDeleted.type) {
            self = .listDeleted(try ListDeleted(fields))
        } else if type.equals(Undelete.type) {
            self = .undelete(try Undelete(fields))
        } else if type.equals(Trim.type) {
            self = .trim(try Trim(fields))
        } else if type.equals(Redact.type) {
            self = .redact(try Redact(fields))
        } else if type.equals(Verify.type) {
            self = .verify(try Verify(fields))
        } else if type.equals(BackUp.type) {
            self = .backUp(BackUp())
        } else {
            return nil
        }
    }

    /// The document that the request is about, if any.
    package var document: WireString? {
        switch self {
        case .trim(let trim): trim.document
        case .redact(let redact): redact.document
        case .verify(let verify): verify.document
        case .listTokens, .addToken, .revokeToken, .counters, .who, .listNodes, .listDeleted, .undelete,
            .backUp:
            nil
        }
    }

    func encode(id: RequestID?, into writer: inout JSONWriter) {
        switch self {
        case .listTokens(let message): message.encode(id: id, into: &writer)
        case .addToken(let message): message.encode(id: id, into: &writer)
        case .revokeToken(let message): message.encode(id: id, into: &writer)
        case .counters(let message): message.encode(id: id, into: &writer)
        case .who(let message): message.encode(id: id, into: &writer)
        case .listNodes(let message): message.encode(id: id, into: &writer)
        case .listDeleted(let message): message.encode(id: id, into: &writer)
        case .undelete(let message): message.encode(id: id, into: &writer)
        case .trim(let message): message.encode(id: id, into: &writer)
        case .redact(let message): message.encode(id: id, into: &writer)
        case .verify(let message): message.encode(id: id, into: &writer)
        case .backUp(let message): message.encode(id: id, into: &writer)
        }
    }
}
