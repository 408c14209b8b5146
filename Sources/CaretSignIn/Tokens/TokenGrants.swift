import CaretLog
import CaretWire

/// The rights in the claim `caret`: `{"read": ["notes/"], "write": ["=agenda"]}`, in the words of `caret token add`.
/// Text that begins with `=` is one document, and any other text is a prefix.
struct TokenGrants {
    let grants: Grants

    /// Without the claim, there are no rights.
    init(_ claim: JSONElement?) throws(SignedTokenFault) {
        guard let claim else {
            grants = .none
            return
        }
        guard case .object(let rights) = claim else {
            throw .wrongType(.claims, "caret", expected: "an object")
        }
        var found: [Grant] = []
        for member in rights.members {
            guard let access = TokenGrants.access(named: member.name) else {
                throw .unknownRight(member.name)
            }
            guard let scopes = member.value.strings else {
                throw .wrongType(.claims, "caret.\(member.name)", expected: "a list of strings")
            }
            for scope in scopes { found.append(Grant(access, to: try TokenGrants.scope(written: scope))) }
        }
        guard found.count <= TokenRules.mostGrants, let grants = Grants(found) else {
            throw .tooManyGrants(found.count)
        }
        self.grants = grants
    }

    private static func access(named name: WireString) -> Access? {
        switch name {
        case "read": .read
        case "note": .note
        case "write": .write
        case "admin": .admin
        default: nil
        }
    }

    private static func scope(written text: WireString) throws(SignedTokenFault) -> NameScope {
        guard text.utf8.first == UInt8(ascii: "=") else {
            let prefix = ByteString(text.string)
            guard prefix.utf8.count <= DocumentName.longest else {
                throw .longPrefix(bytes: prefix.utf8.count)
            }
            return .prefix(prefix)
        }
        let name = String(text.string.unicodeScalars.dropFirst())
        do throws(DocumentName.Fault) { return .document(try DocumentName(name)) } catch {
            throw .badDocument(text, error)
        }
    }
}
