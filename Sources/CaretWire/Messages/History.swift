package import CaretCore

/// A revision of a document, given by its number or by a time at which it was the head.
package enum Moment: Hashable, Sendable {
    /// The request gives neither a revision nor a time. `read` then means the head of the document, and
    /// `history` means the beginning of its history.
    case unspecified
    case revision(Revision)
    /// A time in milliseconds.
    case time(Int)
}

extension Fields {
    /// Reads the field `revision`, or the time in the field `at`.
    func moment(_ revision: StaticString) throws(FieldFault) -> Moment {
        let time = try integer(optional: "at")
        let number = try self.revision(optional: revision)
        switch (number, time) {
        case (let number?, nil): return .revision(number)
        case (nil, let time?): return .time(time)
        case (nil, nil): return .unspecified
        case (_?, _?): throw fault("at", "is given together with \(revision); expected one of them")
        }
    }
}

extension JSONWriter {
    mutating func member(_ revision: StaticString, _ moment: Moment) {
        switch moment {
        case .unspecified: break
        case .revision(let number): member(revision, number.value)
        case .time(let time): member("at", time)
        }
    }
}

/// Requests the text of a document.
package struct Read: WireMessage {
    package static var type: StaticString { "read" }

    package var document: WireString
    package var moment: Moment

    package init(document: WireString, moment: Moment = .unspecified) {
        self.document = document
        self.moment = moment
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        moment = try fields.moment("rev")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", moment)
    }
}

/// The answer to `read`.
package struct WireText: WireMessage {
    package static var type: StaticString { "text" }

    package var document: WireString
    package var epoch: WireString
    package var revision: Revision
    package var text: WireString
    package var newline: Newline

    package init(
        document: WireString, epoch: WireString, revision: Revision, text: WireString, newline: Newline
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.text = text
        self.newline = newline
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        text = try fields.string("text")
        newline = try fields.word("newline")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        writer.member("text", text)
        writer.member("newline", newline)
    }
}

/// Requests a page of a document's revisions.
package struct History: WireMessage {
    package static var type: StaticString { "history" }

    package var document: WireString
    /// The page begins after this revision.
    package var after: Moment
    package var limit: Int
    /// Whether the answer includes the edits of each revision.
    package var wantsEdits: Bool

    package init(
        document: WireString, after: Moment = .unspecified, limit: Int = Limits.itemsByDefault,
        wantsEdits: Bool = false
    ) {
        self.document = document
        self.after = after
        self.limit = limit
        self.wantsEdits = wantsEdits
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        after = try fields.moment("after")
        limit = try fields.pageLimit()
        wantsEdits = try fields.flag("edits")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
        writer.member("edits", ifTrue: wantsEdits)
    }
}

/// A revision as listed by `revisions`. Lengths are in the agreed unit.
package struct RevisionSummary: Hashable, Sendable {
    package let revision: Revision
    package let author: WireChange.Author
    package let inserted: Int
    package let deleted: Int
    package let edits: [WireEdit]?

    package init(
        revision: Revision, author: WireChange.Author, inserted: Int, deleted: Int,
        edits: [WireEdit]? = nil
    ) {
        self.revision = revision
        self.author = author
        self.inserted = inserted
        self.deleted = deleted
        self.edits = edits
    }

    init(_ fields: Fields) throws(FieldFault) {
        revision = try fields.revision("rev")
        author = WireChange.Author(
            user: try fields.string("user"), client: try fields.string("client"),
            time: try fields.integer("time"))
        inserted = try fields.integer("inserted")
        deleted = try fields.integer("deleted")
        edits = try fields.edits(optional: "edits")
    }

    /// An upper bound on the encoded size in bytes.
    package var mostBytes: Int {
        // This includes keys, brackets and 20 digits for each number. Each byte of a string can become a
        // 6-byte escape.
        let texts = (edits ?? []).reduce(author.user.utf8.count + author.client.utf8.count) {
            $0 + $1.text.utf8.count
        }
        return 180 + 80 * (edits?.count ?? 0) + 6 * texts
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("rev", revision.value)
        writer.member("user", author.user)
        writer.member("client", author.client)
        writer.member("time", author.time)
        writer.member("inserted", inserted)
        writer.member("deleted", deleted)
        if let edits { writer.member("edits", edits) }
    }
}

/// The answer to `history`.
package struct Revisions: WireMessage {
    package static var type: StaticString { "revisions" }

    package var document: WireString
    package var revisions: [RevisionSummary]
    /// More revisions follow the last one of this page.
    package var hasMore: Bool

    package init(document: WireString, revisions: [RevisionSummary], hasMore: Bool = false) {
        self.document = document
        self.revisions = revisions
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        let limits = fields.limits
        revisions = try fields.array("revisions") { value throws(FieldFault) in
            try RevisionSummary(Fields(value, limits: limits))
        }
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("revisions", revisions) { writer, revision in
            writer.beginObject()
            revision.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.member("more", ifTrue: hasMore)
    }
}

/// Makes a new revision with the text of an old revision. The server treats this request as a push.
package struct Restore: WireMessage {
    package static var type: StaticString { "restore" }

    package var document: WireString
    package var epoch: WireString
    package var revision: Revision
    package var seq: Int

    package init(document: WireString, epoch: WireString, revision: Revision, seq: Int) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.seq = seq
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        epoch = try fields.string("epoch", atMost: Limits.epoch)
        revision = try fields.revision("rev")
        seq = try fields.integer("seq")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        writer.member("seq", seq)
    }
}
