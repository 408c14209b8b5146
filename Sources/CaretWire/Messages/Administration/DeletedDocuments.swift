package import CaretCore

/// Requests a page of the deleted documents that can still be undeleted.
package struct ListDeleted: WireMessage {
    package static var type: StaticString { "list_deleted" }

    package var prefix: WireString?
    /// The page begins after the document with this number.
    package var after: Int?
    package var limit: Int

    package init(prefix: WireString? = nil, after: Int? = nil, limit: Int = Limits.itemsByDefault) {
        self.prefix = prefix
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        prefix = try fields.string(optional: "prefix", atMost: Limits.name)
        after = try fields.integer(optional: "after")
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("prefix", prefix)
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// A deleted document as listed by `deleted`.
package struct DeletedDocument: Equatable, Sendable {
    /// Identifies the document. Several deleted documents may have had the same name.
    package var number: Int
    package var document: WireString
    package var revision: Revision
    /// The length of the text, in the agreed unit.
    package var length: Int
    /// When the document was last changed and when it was deleted, in milliseconds.
    package var updated: Int
    package var deleted: Int

    package init(
        number: Int, document: WireString, revision: Revision, length: Int, updated: Int, deleted: Int
    ) {
        self.number = number
        self.document = document
        self.revision = revision
        self.length = length
        self.updated = updated
        self.deleted = deleted
    }

    fileprivate init(_ value: JSONValue, _ limits: Limits.Announced) throws(FieldFault) {
        let fields = try Fields(value, limits: limits)
        number = try fields.integer("number")
        document = try fields.string("doc")
        revision = try fields.revision("rev")
        length = try fields.integer("length")
        updated = try fields.integer("updated")
        deleted = try fields.integer("deleted")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("number", number)
        writer.member("doc", document)
        writer.member("rev", revision.value)
        writer.member("length", length)
        writer.member("updated", updated)
        writer.member("deleted", deleted)
        writer.endObject()
    }
}

/// The answer to `list_deleted`.
package struct DeletedDocuments: WireMessage {
    package static var type: StaticString { "deleted" }

    package var documents: [DeletedDocument]
    /// More documents follow the last one of this page.
    package var hasMore: Bool

    package init(_ documents: [DeletedDocument], hasMore: Bool = false) {
        self.documents = documents
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        documents = try fields.array("docs") { value throws(FieldFault) in
            try DeletedDocument(value, limits)
        }
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("docs", documents) { writer, document in document.write(to: &writer) }
        writer.member("more", ifTrue: hasMore)
    }
}

/// Restores a deleted document under its old name.
package struct Undelete: WireMessage {
    package static var type: StaticString { "undelete" }

    package var number: Int

    package init(number: Int) { self.number = number }

    init(_ fields: Fields) throws(FieldFault) { number = try fields.integer("number") }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("number", number) }
}
