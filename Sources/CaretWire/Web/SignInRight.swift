/// A right of the users that a proxy names, such as `write:home/{user}/`, `read:public/` or `write:=agenda`.
package struct SignInRight: Hashable, Sendable, CustomStringConvertible {
    private let rights: GrantedRights
    /// What the right covers, as in `caret token add`: the text before, between and after the places for the name of the
    /// user.
    private let pieces: [String]
    /// Whether the right covers one document. The name of a user does not change that.
    private let isOfDocument: Bool

    /// Stands for the name of the user.
    private static let placeholder = "{user}"

    /// Nil if the text is not such a right.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"),
            let rights = GrantedRights(rawValue: String(text[..<colon]))
        else { return nil }
        let scope = String(text[text.index(after: colon)...])
        let pieces = Self.pieces(of: scope)
        guard scope.utf8.count <= Limits.name, !scope.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            scope != "=",
            // A misspelled placeholder would otherwise be a part of a name.
            !pieces.joined().utf8.contains(where: { "{}".utf8.contains($0) }),
            // Without the `/`, ann would also get what belongs to anna.
            scope.hasPrefix("=") || pieces.dropFirst().allSatisfy({ $0.hasPrefix("/") })
        else { return nil }
        isOfDocument = scope.hasPrefix("=")
        (self.rights, self.pieces) = (rights, pieces)
    }

    private static func pieces(of scope: String) -> [String] {
        let mark = Array(placeholder.utf8)
        var pieces: [[UInt8]] = [[]]
        var rest = Array(scope.utf8)[...]
        while let byte = rest.first {
            if rest.starts(with: mark) {
                pieces.append([])
                rest = rest.dropFirst(mark.count)
            } else {
                pieces[pieces.count - 1].append(byte)
                rest = rest.dropFirst()
            }
        }
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }

    package var namesUser: Bool { pieces.count > 1 }

    /// The right of this user.
    package func grant(to user: String) -> WireGrant {
        let scope = pieces.joined(separator: user)
        return WireGrant(rights, to: isOfDocument ? .init(written: scope) : .prefix(WireString(scope)))
    }

    package var description: String { "\(rights.rawValue):\(pieces.joined(separator: Self.placeholder))" }
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
