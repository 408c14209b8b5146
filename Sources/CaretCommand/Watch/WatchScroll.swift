/// The scroll position of a reader, who follows the changes or scrolls by keys.
package struct WatchScroll: Equatable, Sendable {
    package enum Key: Equatable, Sendable {
        case up, down, pageUp, pageDown, follow, end
    }

    private(set) var top = 0
    private var follows = true
    /// The offset of the last change, in UTF-16 code units.
    private var changeOffset: Int?

    package init() {}

    /// Decodes the key sequences of a terminal. Ignores unknown bytes.
    package static func keys(in bytes: ArraySlice<UInt8>) -> [Key] {
        var (keys, rest) = ([Key](), bytes)
        let sequences: [(bytes: String, key: Key)] = [
            ("\u{1B}[A", .up), ("\u{1B}[B", .down), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
            ("\u{1B}OA", .up), ("\u{1B}OB", .down), ("k", .up), ("j", .down), ("b", .pageUp),
            (" ", .pageDown), ("f", .follow), ("q", .end), ("\u{3}", .end),
        ]
        while !rest.isEmpty {
            if let found = sequences.first(where: { rest.starts(with: $0.bytes.utf8) }) {
                keys.append(found.key)
                rest = rest.dropFirst(found.bytes.utf8.count)
            } else {
                rest = rest.dropFirst()
            }
        }
        return keys
    }

    package mutating func press(_ key: Key, height: Int) {
        switch key {
        case .up: move(by: -1)
        case .down: move(by: 1)
        case .pageUp: move(by: -height)
        case .pageDown: move(by: height)
        case .follow: follows = true
        case .end: break
        }
    }

    private mutating func move(by lines: Int) {
        follows = false
        top = max(0, top + lines)
    }

    package mutating func changed(at offset: Int) { changeOffset = offset }

    /// The first line to show. If the reader follows the changes, the line of the last change is moved to the
    /// centre, unless that line is already visible.
    package mutating func top(in page: WatchPage, height: Int) -> Int {
        if follows, let changeOffset {
            let line = page.line(ofUTF16: changeOffset)
            if !(top..<top + height).contains(line) { top = line - height / 2 }
        }
        top = max(0, min(top, page.lineCount - height))
        return top
    }
}
