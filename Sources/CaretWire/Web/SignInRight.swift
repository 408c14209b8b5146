/// A right of the users that a proxy names, such as `write:home/{user}/`, `read:public/` or `write:=agenda`.
package struct SignInRight: Hashable, Sendable, CustomStringConvertible {
    private let rights: GrantedRights
    /// What the right covers, as in `caret token add`. It may contain `{user}`.
    private let scope: String

    /// Stands for the name of the user.
    private static let placeholder = "{user}"

    /// Nil if the text is not such a right.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"),
            let rights = GrantedRights(rawValue: String(text[..<colon]))
        else { return nil }
        let scope = String(text[text.index(after: colon)...])
        guard scope.utf8.count <= Limits.name, !scope.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            Self.isScope(scope)
        else { return nil }
        (self.rights, self.scope) = (rights, scope)
    }

    private static func isScope(_ scope: String) -> Bool {
        // A misspelled placeholder would otherwise be a part of a name.
        if scope.replacing(placeholder, with: "").utf8.contains(where: { "{}".utf8.contains($0) }) {
            return false
        }
        if scope.hasPrefix("=") { return scope != "=" }
        // Without the `/`, ann would also get what belongs to anna.
        return !scope.replacing(placeholder + "/", with: "").contains(placeholder)
    }

    package var namesUser: Bool { scope.contains(Self.placeholder) }

    /// The right of this user.
    package func grant(to user: String) -> WireGrant {
        WireGrant(rights, to: WireGrant.Scope(written: scope.replacing(Self.placeholder, with: user)))
    }

    package var description: String { "\(rights.rawValue):\(scope)" }
}

extension WireGrant.Scope {
    /// With `=` before a name, the right covers only that document.
    package init(written text: String) {
        if text.utf8.first == UInt8(ascii: "=") {
            self = .document(WireString(String(text.dropFirst())))
        } else {
            self = .prefix(WireString(text))
        }
    }
}
