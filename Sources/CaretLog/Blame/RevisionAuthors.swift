import CaretCore

/// The authors of some revisions, in the order of the revisions.
package struct RevisionAuthors: Sendable {
    package struct Author: Equatable, Sendable {
        package let pusher: Pusher
        /// When the revision was committed, in milliseconds since 1970.
        package let time: Int64

        package init(_ change: LoggedChange) { (pusher, time) = (change.pusher, change.time) }
    }

    /// Unused authors are forgotten once there are this many more than lines need.
    static let spare = 1_024

    private var entries: [(revision: Revision, author: Author)] = []

    var count: Int { entries.count }

    /// About how many bytes it has in memory, without the names, which revisions share.
    var bytes: Int { entries.count * MemoryLayout<(Revision, Author)>.stride }

    subscript(revision: Revision) -> Author? {
        let index = entries.indices.partitionPoint { entries[$0].revision >= revision }
        guard index < entries.count, entries[index].revision == revision else { return nil }
        return entries[index].author
    }

    /// Adds the author of a revision that is newer than all others.
    mutating func append(_ author: Author, of revision: Revision) { entries.append((revision, author)) }

    mutating func keep(where isKept: (Revision) -> Bool) { entries.removeAll { !isKept($0.revision) } }
}
