/// What an administrator asks of the server as a whole.
package enum AdminRequest: Equatable, Sendable {
    case listTokens(ListTokens)
    case addToken(AddToken)
    case revokeToken(RevokeToken)

    /// The request of this type; nil where there is none.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.says(ListTokens.type) {
            self = .listTokens(try ListTokens(fields))
        } else if type.says(AddToken.type) {
            self = .addToken(try AddToken(fields))
        } else if type.says(RevokeToken.type) {
            self = .revokeToken(try RevokeToken(fields))
        } else {
            return nil
        }
    }

    func encode(id: RequestID?, into writer: inout JSONWriter) {
        switch self {
        case .listTokens(let message): message.encode(id: id, into: &writer)
        case .addToken(let message): message.encode(id: id, into: &writer)
        case .revokeToken(let message): message.encode(id: id, into: &writer)
        }
    }
}
