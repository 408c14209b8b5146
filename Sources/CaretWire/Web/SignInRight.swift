/// A right of the users that a proxy names, such as `write:home/{user}/`, `read:public/` or `write:=agenda`.
package struct SignInRight: Hashable, Sendable, CustomStringConvertible {
    private let rights: GrantedRights
    /// Whether the right covers one document, and not all names with a beginning.
    private let isOfDocument: Bool
    /// The name or the beginning: the text before, between and after the places for the name of the user.
    private let pieces: [String]

    /// Stands for the name of the user.
    private static let placeholder = "{user}"

    /// Nil if the text is not such a right.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"),
            let rights = GrantedRights(rawValue: String(text[..<colon]))
        else { return nil }
        var scope = text[text.index(after: colon)...]
        isOfDocument = scope.utf8.first == UInt8(ascii: "=")
        if isOfDocument { scope.removeFirst() }
        let pieces = Self.pieces(of: String(scope))
        guard scope.utf8.count <= Limits.name, !scope.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            !isOfDocument || !scope.isEmpty,
            // A misspelled placeholder would otherwise be a part of a name.
            !pieces.joined().utf8.contains(where: { "{}".utf8.contains($0) }),
            // Without the `/`, ann would also get what belongs to anna.
            isOfDocument || pieces.dropFirst().allSatisfy({ $0.hasPrefix("/") })
        else { return nil }
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
        let name = WireString(pieces.joined(separator: user))
        return WireGrant(rights, to: isOfDocument ? .document(name) : .prefix(name))
    }

    package var description: String {
        "\(rights.rawValue):\(isOfDocument ? "=" : "")\(pieces.joined(separator: Self.placeholder))"
    }
}
