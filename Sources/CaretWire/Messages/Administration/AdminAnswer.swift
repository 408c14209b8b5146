/// An answer to an administrator, other than `done`.
package enum AdminAnswer: Equatable, Sendable {
    case tokens(Tokens)
    case tokenAdded(TokenAdded)
    case counted(CounterValues)
    case present(ConnectionPage)
    case nodes(ServerList)
    case deleted(DeletedDocuments)
    case trimmed(Trimmed)
    case redacted(Redacted)
    case progress(MaintenanceProgress)
    case verified(Verified)
    case backedUp(BackedUp)

    /// Decodes the answer of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(Tokens.type) {
            self = .tokens(try Tokens(fields))
        } else if type.equals(TokenAdded.type) {
            self = .tokenAdded(try TokenAdded(fields))
        } else if type.equals(CounterValues.type) {
            self = .counted(try CounterValues(fields))
        } else if type.equals(ConnectionPage.type) {
            self = .present(try ConnectionPage(fields))
        } else if type.equals(ServerList.type) {
            self = .nodes(try ServerList(fields))
        } else if type.equals(DeletedDocuments.type) {
            self = .deleted(try DeletedDocuments(fields))
        } else if type.equals(Trimmed.type) {
            self = .trimmed(try Trimmed(fields))
        } else if type.equals(Redacted.type) {
            self = .redacted(try Redacted(fields))
        } else if type.equals(MaintenanceProgress.type) {
            self = .progress(try MaintenanceProgress(fields))
        } else if type.equals(Verified.type) {
            self = .verified(try Verified(fields))
        } else if type.equals(BackedUp.type) {
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
        case .nodes(let message): message.encode(id: id, into: &writer)
        case .deleted(let message): message.encode(id: id, into: &writer)
        case .trimmed(let message): message.encode(id: id, into: &writer)
        case .redacted(let message): message.encode(id: id, into: &writer)
        case .progress(let message): message.encode(id: id, into: &writer)
        case .verified(let message): message.encode(id: id, into: &writer)
        case .backedUp(let message): message.encode(id: id, into: &writer)
        }
    }
}
