package import CaretCore

/// Who changed each line of a text last, and when: the changes of a history, applied one after the other. It has no text
/// and no changes in memory, only the lines and the authors of their revisions.
package struct BlamedText: Sendable {
    /// The oldest revision of the history. The authors of lines that did not change since then are not known.
    package let start: Revision
    /// The last applied revision.
    package private(set) var revision: Revision
    private var lines: AttributedLines
    private var authors = RevisionAuthors()

    /// The most lines that a text may have at any revision, so that a server has memory for several such texts. A text of
    /// 4 MiB has fewer, unless its lines have less than 17 bytes on average.
    package static let mostLines = 250_000

    /// Begins with the oldest known text.
    package init(_ text: TextBuffer, at start: Revision) throws(AttributedLines.Fault) {
        (self.start, revision) = (start, start)
        lines = try AttributedLines(text, at: start, atMost: BlamedText.mostLines)
    }

    /// About how many bytes it has in memory.
    package var bytes: Int {
        1024 + lines.count * MemoryLayout<AttributedLines.Line>.stride + authors.bytes
    }

    /// Applies the next change of the history.
    package mutating func apply(_ logged: LoggedChange) throws(AttributedLines.Fault) {
        revision = revision.next
        // Nearly all changes have one edit. Making a change of it takes longer than applying it.
        if logged.edits.count == 1 {
            try lines.apply(logged.edits[0].edit, making: revision)
        } else {
            guard let change = try? logged.change else { throw .misplaced }
            try lines.apply(change, making: revision)
        }
        authors.append(RevisionAuthors.Author(logged), of: revision)
        if authors.count > RevisionAuthors.spare + 2 * lines.count { forgetUnusedAuthors() }
    }

    /// Forgets the authors of revisions that no line has.
    package mutating func forgetUnusedAuthors() {
        let used = lines.revisions
        authors.keep { used.contains($0) }
    }

    /// At most `limit` ranges of the lines after line `after`, and whether more follow.
    package func ranges(after: Int, limit: Int) -> (ranges: [BlamedRange], hasMore: Bool) {
        var (ranges, hasMore, line) = ([BlamedRange](), false, 0)
        lines.forEachLine { found in
            line += 1
            if line <= after { return true }
            if let last = ranges.last, last.revision == found.revision {
                ranges[ranges.count - 1].count += 1
            } else if ranges.count == limit {
                hasMore = true
            } else {
                let author = found.revision > start ? authors[found.revision] : nil
                ranges.append(
                    BlamedRange(line: line, count: 1, revision: found.revision, author: author))
            }
            return !hasMore
        }
        return (ranges, hasMore)
    }
}

/// Successive lines that the same revision changed last.
package struct BlamedRange: Equatable, Sendable {
    /// The number of the first line. The first line of a text is 1.
    package let line: Int
    package var count: Int
    package let revision: Revision
    /// Nil if the lines did not change since the oldest kept revision.
    package let author: RevisionAuthors.Author?

    package init(line: Int, count: Int, revision: Revision, author: RevisionAuthors.Author?) {
        (self.line, self.count, self.revision, self.author) = (line, count, revision, author)
    }
}
