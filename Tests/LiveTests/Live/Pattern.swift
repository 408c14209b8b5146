/// A pattern for a line. `…` matches anything. `⟨name⟩` also matches anything, and the matched text becomes
/// the value of the name. `filled` replaces each name that has a value.
struct Pattern {
    private enum Piece {
        case exactly(String)
        case anything
        case named(String)
    }

    private let pieces: [Piece]

    init(_ text: String) {
        var pieces: [Piece] = []
        var plain = ""
        var rest = text[...]
        while let first = rest.popFirst() {
            switch first {
            case "…", "⟨":
                pieces.append(.exactly(plain))
                plain = ""
                guard first == "⟨" else {
                    pieces.append(.anything)
                    continue
                }
                let end = rest.firstIndex(of: "⟩") ?? rest.endIndex
                pieces.append(.named(String(rest[..<end])))
                rest = rest[end...].dropFirst()
            default: plain.append(first)
            }
        }
        self.pieces = pieces + [.exactly(plain)]
    }

    /// The text of the pattern with known names replaced by their values. Unknown names stay.
    func filled(with names: [String: String]) -> String {
        pieces.map { piece in
            switch piece {
            case .exactly(let text): text
            case .anything: "…"
            case .named(let name): names[name] ?? "⟨\(name)⟩"
            }
        }.joined()
    }

    /// The values of the names if the line matches; nil if not. Each `…` and `⟨name⟩` matches as little as
    /// possible.
    func matches(_ line: String) -> [String: String]? {
        var names: [String: String] = [:]
        var (rest, gap) = (line[...], nil as Piece?)
        for (index, piece) in pieces.enumerated() {
            guard case .exactly(let text) = piece else {
                gap = piece
                continue
            }
            guard let found = Self.find(text, in: rest, gap: gap, isLast: index == pieces.count - 1) else {
                return nil
            }
            if case .named(let name)? = gap { names[name] = String(rest[..<found.lowerBound]) }
            (rest, gap) = (rest[found.upperBound...], nil)
        }
        return names
    }

    /// The range of a piece of fixed text in the rest of a line. `gap` is the `…` or `⟨name⟩` before the
    /// piece. Without a gap, the piece must be at the start of the rest. After a gap, the last piece must be
    /// at the end, and any other piece is found at its first occurrence.
    private static func find(_ text: String, in rest: Substring, gap: Piece?, isLast: Bool) -> Range<
        String.Index
    >? {
        if gap == nil {
            guard rest.hasPrefix(text) else { return nil }
            let end = rest.index(rest.startIndex, offsetBy: text.count)
            return !isLast || end == rest.endIndex ? rest.startIndex..<end : nil
        }
        if isLast {
            guard rest.hasSuffix(text) else { return nil }
            return rest.index(rest.endIndex, offsetBy: -text.count)..<rest.endIndex
        }
        return text.isEmpty ? rest.startIndex..<rest.startIndex : rest.firstRange(of: text)
    }
}
