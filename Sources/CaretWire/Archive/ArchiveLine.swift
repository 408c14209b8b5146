package import CaretCore

/// A line of an archive of whole histories. docs/storage.md describes the format. The JSON follows the rules
/// of the wire protocol.
package enum ArchiveLine: Equatable, Sendable {
    case head(ArchiveHead)
    case document(ArchivedDocument)
    case revision(ArchivedRevision)
    case check(Check)
    case end(ArchiveEnd)

    /// Decodes the line of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        // The most frequent type comes first.
        if type.equals(ArchivedRevision.type) {
            self = .revision(try ArchivedRevision(fields))
        } else if type.equals(ArchivedDocument.type) {
            self = .document(try ArchivedDocument(fields))
        } else if type.equals(Check.type) {
            self = .check(try Check(fields))
        } else if type.equals(ArchiveHead.type) {
            self = .head(try ArchiveHead(fields))
        } else if type.equals(ArchiveEnd.type) {
            self = .end(try ArchiveEnd(fields))
        } else {
            return nil
        }
    }
}

/// The first line of an archive.
package struct ArchiveHead: WireMessage {
    package static var type: StaticString { "archive" }

    package static let version = 1

    package var version: Int
    /// When the export began, in milliseconds, and which program wrote the archive.
    package var made: Int
    package var server: WireString

    package init(made: Int, server: WireString) {
        version = ArchiveHead.version
        self.made = made
        self.server = server
    }

    init(_ fields: Fields) throws(FieldFault) {
        version = try fields.integer("version")
        made = try fields.integer("made")
        server = try fields.string("server")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("version", version)
        writer.member("made", made)
        writer.member("server", server)
    }
}

/// A document in an archive. The next lines are the document's revisions after `start`, up to `revision`.
package struct ArchivedDocument: WireMessage {
    package static var type: StaticString { "document" }

    package var document: WireString
    /// The epoch on the exporting server. This epoch means nothing on any other server.
    package var epoch: WireString
    package var revision: Revision
    package var start: Revision
    /// The text at `start`; nil if `start` is 0.
    package var text: WireString?
    package var newline: Newline
    /// When the document was last changed and when it was deleted, in milliseconds. `deleted` is nil for a
    /// document that exists.
    package var updated: Int
    package var deleted: Int?
    /// The named revisions. An archive of an older program has none.
    package var tags: [TagList.Item]

    package init(
        document: WireString, epoch: WireString, revision: Revision, start: Revision, text: WireString?,
        newline: Newline, updated: Int, deleted: Int? = nil, tags: [TagList.Item] = []
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.start = start
        self.text = text
        self.newline = newline
        self.updated = updated
        self.deleted = deleted
        self.tags = tags
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        epoch = try fields.string("epoch", atMost: Limits.epoch)
        revision = try fields.revision("rev")
        start = try fields.revision("start")
        text = try fields.string(optional: "text")
        newline = try fields.word("newline")
        updated = try fields.integer("updated")
        deleted = try fields.integer(optional: "deleted")
        let limits = fields.limits
        let named = try fields.array(optional: "tags") { value throws(FieldFault) in
            try TagList.Item(try Fields(value, limits: limits))
        }
        tags = named ?? []
        if start > revision { throw fields.fault("start", "is \(start.value), after rev \(revision.value)") }
        if (start > 0) != (text != nil) {
            throw fields.fault("text", "must be given if start is above 0, and must be missing if start is 0")
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        writer.member("start", start.value)
        writer.member("text", text)
        writer.member("newline", newline)
        writer.member("updated", updated)
        writer.member("deleted", deleted)
        if !tags.isEmpty { writer.member("tags", tags) }
    }
}

/// A revision: its author, its time, and its edits of the previous text. Offsets count UTF-16 code units.
package struct ArchivedRevision: WireMessage {
    package static var type: StaticString { "revision" }

    package var revision: Revision
    package var author: WireChange.Author
    package var edits: [WireEdit]

    package init(revision: Revision, author: WireChange.Author, edits: [WireEdit]) {
        self.revision = revision
        self.author = author
        self.edits = edits
    }

    init(_ fields: Fields) throws(FieldFault) {
        revision = try fields.revision("rev")
        author = WireChange.Author(
            user: try fields.string("user", atMost: Limits.name),
            client: try fields.string("client", atMost: Limits.client.upperBound),
            time: try fields.integer("time"))
        guard let found = try fields.edits(optional: "edits") else { throw .missing("edits", at: 0) }
        edits = found
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("rev", revision.value)
        writer.member("user", author.user)
        writer.member("client", author.client)
        writer.member("time", author.time)
        writer.member("edits", edits)
    }
}

/// The last line: how many documents and revisions the archive has, and a checksum of all earlier lines.
package struct ArchiveEnd: WireMessage {
    package static var type: StaticString { "end" }

    package var documents: Int
    package var revisions: Int
    /// The SHA-256 of all lines before this one, including their LF, in hexadecimal digits.
    package var sum: WireString

    package init(documents: Int, revisions: Int, sum: WireString) {
        self.documents = documents
        self.revisions = revisions
        self.sum = sum
    }

    init(_ fields: Fields) throws(FieldFault) {
        documents = try fields.integer("documents")
        revisions = try fields.integer("revisions")
        sum = try fields.string("sha256", atMost: 64)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("documents", documents)
        writer.member("revisions", revisions)
        writer.member("sha256", sum)
    }
}
