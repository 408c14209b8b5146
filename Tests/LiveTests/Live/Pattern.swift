/// A line in which `…` stands for anything, and `⟨name⟩` for what has this name or gets it now.
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

    /// The text with what has a name in its place; what has none stays.
    func filled(with names: [String: String]) -> String {
        pieces.map { piece in
            switch piece {
            case .exactly(let text): text
            case .anything: "…"
            case .named(let name): names[name] ?? "⟨\(name)⟩"
            }
        }.joined()
    }

    /// What got a name where the line is like this; nil where it is not. Each gap is as short as it can be.
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

    /// Where the text stands: at the end where it is the last, else behind the gap, or at once where there is none.
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
