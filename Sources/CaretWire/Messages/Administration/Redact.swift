package import CaretCore

/// Removes a passage from every revision of a document, forever. A dry run only reports what would change.
package struct Redact: WireMessage {
    package static var type: StaticString { "redact" }

    package var document: WireString
    package var passage: WireString
    package var isDryRun: Bool

    package init(document: WireString, passage: WireString, isDryRun: Bool = false) {
        self.document = document
        self.passage = passage
        self.isDryRun = isDryRun
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        passage = try fields.string("passage", atMost: Limits.passage)
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("passage", passage)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}

/// The answer to `redact`.
package struct Redacted: WireMessage {
    package static var type: StaticString { "redacted" }

    /// A user who wrote a part of the passage.
    package struct Author: Equatable, Sendable {
        package var user: WireString
        /// How many of the user's revisions change, and the first and the last of them.
        package var revisions: Int
        package var first: Revision
        package var last: Revision
        /// When these two revisions were made, in milliseconds.
        package var since: Int
        package var until: Int

        package init(
            user: WireString, revisions: Int, first: Revision, last: Revision, since: Int, until: Int
        ) {
            (self.user, self.revisions, self.first, self.last) = (user, revisions, first, last)
            (self.since, self.until) = (since, until)
        }

        fileprivate init(_ fields: Fields) throws(FieldFault) {
            user = try fields.string("user")
            revisions = try fields.integer("revisions")
            first = try fields.revision("first")
            last = try fields.revision("last")
            since = try fields.integer("since")
            until = try fields.integer("until")
        }

        fileprivate func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("user", user)
            writer.member("revisions", revisions)
            writer.member("first", first.value)
            writer.member("last", last.value)
            writer.member("since", since)
            writer.member("until", until)
            writer.endObject()
        }
    }

    package var document: WireString
    /// The epoch and the head afterwards.
    package var epoch: WireString
    package var revision: Revision
    /// How many revisions contain the passage, and how often the newest of all revisions contains it.
    package var containing: Int
    package var inHead: Int
    /// How many revisions inserted a part of the passage. Their inserted text changes.
    package var changed: Int
    package var authors: [Author]
    /// The files in the folder `backups` that were made before, and may contain the passage.
    package var backups: [WireString]
    /// There are more authors or backups.
    package var hasMore: Bool
    /// No unused part of the store's files contains the passage.
    package var isErased: Bool
    package var isDryRun: Bool

    package init(
        document: WireString, epoch: WireString, revision: Revision, containing: Int, inHead: Int,
        changed: Int, authors: [Author], backups: [WireString], hasMore: Bool = false,
        isErased: Bool = false, isDryRun: Bool = false
    ) {
        (self.document, self.epoch, self.revision) = (document, epoch, revision)
        (self.containing, self.inHead, self.changed) = (containing, inHead, changed)
        (self.authors, self.backups, self.hasMore) = (authors, backups, hasMore)
        (self.isErased, self.isDryRun) = (isErased, isDryRun)
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        containing = try fields.integer("containing")
        inHead = try fields.integer("in_head")
        changed = try fields.integer("changed")
        authors = try fields.array("authors") { value throws(FieldFault) in
            try Author(try Fields(value, limits: limits))
        }
        backups = try fields.array("backups") { value throws(FieldFault) in
            try value.string(atMost: .max, orElse: .badMessage)
        }
        hasMore = try fields.flag("more")
        isErased = try fields.flag("erased")
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        writer.member("containing", containing)
        writer.member("in_head", inHead)
        writer.member("changed", changed)
        writer.member("authors", authors) { writer, author in author.write(to: &writer) }
        writer.member("backups", backups) { writer, name in writer.value(name) }
        writer.member("more", ifTrue: hasMore)
        writer.member("erased", ifTrue: isErased)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}
