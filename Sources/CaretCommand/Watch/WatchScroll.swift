/// The scroll position of a reader, who follows the changes or scrolls by keys.
package struct WatchScroll: Equatable, Sendable {
    package enum Key: Equatable, Sendable {
        case up, down, pageUp, pageDown, follow, end
    }

    private var top = WatchPage.RowPosition(line: 0)
    /// How many rows to scroll before the next display; negative for upwards.
    private var unappliedRows = 0
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

    private mutating func move(by rows: Int) {
        follows = false
        unappliedRows += rows
    }

    package mutating func changed(at offset: Int) { changeOffset = offset }

    /// The first row to show. If the reader follows the changes, the row of the last change is moved to the
    /// centre, unless that row is already visible.
    package mutating func top(in page: WatchPage, _ size: Terminal.Size) -> WatchPage.RowPosition {
        let (height, columns) = (max(1, size.rows - 1), size.columns)
        top = page.position(top, movedBy: unappliedRows, in: columns)
        unappliedRows = 0
        if follows, let changeOffset {
            let change = page.position(ofUTF16: changeOffset, in: columns)
            let bottom = page.position(top, movedBy: height - 1, in: columns)
            if !(top...bottom).contains(change) {
                top = page.position(change, movedBy: -(height / 2), in: columns)
            }
        }
        let lastTop = page.position(page.lastPosition(in: columns), movedBy: 1 - height, in: columns)
        top = min(top, lastTop)
        return top
    }
}
