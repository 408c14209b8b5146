/// What the server answers to an administrator, where it is not `done`.
package enum AdminAnswer: Equatable, Sendable {
    case tokens(Tokens)
    case tokenAdded(TokenAdded)

    /// The answer of this type; nil where there is none.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.says(Tokens.type) {
            self = .tokens(try Tokens(fields))
        } else if type.says(TokenAdded.type) {
            self = .tokenAdded(try TokenAdded(fields))
        } else {
            return nil
        }
    }

    func encode(id: RequestID?, into writer: inout JSONWriter) {
        switch self {
        case .tokens(let message): message.encode(id: id, into: &writer)
        case .tokenAdded(let message): message.encode(id: id, into: &writer)
        }
    }
}
