/// An answer to an administrator, other than `done`.
package enum AdminAnswer: Equatable, Sendable {
    case tokens(Tokens)
    case tokenAdded(TokenAdded)
    case counted(Counted)
    case present(Present)
    case deleted(DeletedDocuments)
    case trimmed(Trimmed)
    case progress(MaintenanceProgress)
    case verified(Verified)
    case backedUp(BackedUp)

    /// Decodes the answer of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.says(Tokens.type) {
            self = .tokens(try Tokens(fields))
        } else if type.says(TokenAdded.type) {
            self = .tokenAdded(try TokenAdded(fields))
        } else if type.says(Counted.type) {
            self = .counted(try Counted(fields))
        } else if type.says(Present.type) {
            self = .present(try Present(fields))
        } else if type.says(DeletedDocuments.type) {
            self = .deleted(try DeletedDocuments(fields))
        } else if type.says(Trimmed.type) {
            self = .trimmed(try Trimmed(fields))
        } else if type.says(MaintenanceProgress.type) {
            self = .progress(try MaintenanceProgress(fields))
        } else if type.says(Verified.type) {
            self = .verified(try Verified(fields))
        } else if type.says(BackedUp.type) {
            self = .backedUp(try BackedUp(fields))
        } else {
            return nil
        }
    }

    func encode(id: RequestID?, into writer: inout JSONWriter) {
        switch self {
        case .tokens(let message): message.encode(id: id, into: &writer)
        case .tokenAdded(let message): message.encode(id: id, into: &writer)
        case .counted(let message): message.encode(id: id, into: &writer)
        case .present(let message): message.encode(id: id, into: &writer)
        case .deleted(let message): message.encode(id: id, into: &writer)
        case .trimmed(let message): message.encode(id: id, into: &writer)
        case .progress(let message): message.encode(id: id, into: &writer)
        case .verified(let message): message.encode(id: id, into: &writer)
        case .backedUp(let message): message.encode(id: id, into: &writer)
        }
    }
}
