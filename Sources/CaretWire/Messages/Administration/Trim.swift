package import CaretCore

/// Deletes the history of a document before a revision. A dry run only reports what would be deleted.
package struct Trim: WireMessage {
    package static var type: StaticString { "trim" }

    package var document: WireString
    /// The oldest revision whose text stays readable.
    package var revision: Revision
    package var isDryRun: Bool

    package init(document: WireString, revision: Revision, isDryRun: Bool = false) {
        self.document = document
        self.revision = revision
        self.isDryRun = isDryRun
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        revision = try fields.revision("rev")
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision.value)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}

/// The answer to `trim`.
package struct Trimmed: WireMessage {
    package static var type: StaticString { "trimmed" }

    package var document: WireString
    /// The oldest revision whose text is readable after the trim.
    package var start: Revision
    /// How many revisions are deleted, or would be deleted in a dry run.
    package var revisions: Int
    package var isDryRun: Bool

    package init(document: WireString, start: Revision, revisions: Int, isDryRun: Bool = false) {
        self.document = document
        self.start = start
        self.revisions = revisions
        self.isDryRun = isDryRun
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        start = try fields.revision("start")
        revisions = try fields.integer("revisions")
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("start", start.value)
        writer.member("revisions", revisions)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}
