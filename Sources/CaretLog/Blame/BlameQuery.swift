package import CaretCore

/// Which lines of which text a `blame` is about.
package struct BlameQuery: Equatable, Sendable {
    /// The revision of the text; nil for the head.
    package let revision: Revision?
    /// Only lines after the one with this number.
    package let after: Int
    /// The most ranges of the answer.
    package let limit: Int

    package init(at revision: Revision?, after: Int, limit: Int) {
        (self.revision, self.after, self.limit) = (revision, after, limit)
    }
}

/// One page of who changed the lines of a text last.
package struct BlamePage: Equatable, Sendable {
    package let epoch: Epoch
    package let revision: Revision
    package let ranges: [BlamedRange]
    /// Whether more ranges follow the last one of this page.
    package let hasMore: Bool

    package init(epoch: Epoch, of text: BlamedText, _ query: BlameQuery) {
        (self.epoch, revision) = (epoch, text.revision)
        (ranges, hasMore) = text.ranges(after: query.after, limit: query.limit)
    }
}

/// Why a store does not say who changed the lines of a text.
package enum BlameRefusal: Error, Equatable, Sendable {
    /// The text has more than `BlamedText.mostLines` lines, or had more at an earlier revision that is kept.
    case tooManyLines
    case history(HistoryRefusal)
}
