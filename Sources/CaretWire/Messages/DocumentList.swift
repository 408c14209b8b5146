package import CaretCore

/// Requests a page of the documents that the client may read.
package struct List: WireMessage {
    package static var type: StaticString { "list" }

    package var prefix: WireString?
    /// The page begins after this name.
    package var after: WireString?
    package var limit: Int

    package init(
        prefix: WireString? = nil, after: WireString? = nil, limit: Int = Limits.itemsByDefault
    ) {
        self.prefix = prefix
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        prefix = try fields.string(optional: "prefix", atMost: Limits.name)
        after = try fields.string(optional: "after", atMost: Limits.name)
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("prefix", prefix)
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

extension Fields {
    func pageLimit() throws(FieldFault) -> Int {
        try integer(optional: "limit", in: Limits.items) ?? Limits.itemsByDefault
    }
}

extension JSONWriter {
    mutating func memberOfPageLimit(_ limit: Int) {
        if limit != Limits.itemsByDefault { member("limit", limit) }
    }
}

/// A document as reported to clients that list or follow documents.
package struct DocumentSummary: WireMessage {
    package static var type: StaticString { "document" }

    package var document: WireString
    package var epoch: WireString
    package var revision: Revision
    /// The length of the text, in the agreed unit.
    package var length: Int
    /// When the document was created or last changed, in milliseconds.
    package var updated: Int

    package init(
        document: WireString, epoch: WireString, revision: Revision, length: Int, updated: Int
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.length = length
        self.updated = updated
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        length = try fields.integer("length")
        updated = try fields.integer("updated")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        writer.member("length", length)
        writer.member("updated", updated)
    }
}

/// The answer to `list`.
package struct Listed: WireMessage {
    package static var type: StaticString { "listed" }

    package var documents: [DocumentSummary]
    /// More documents follow the last one of this page.
    package var hasMore: Bool

    package init(documents: [DocumentSummary], hasMore: Bool = false) {
        self.documents = documents
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        documents = try fields.array("docs") { value throws(FieldFault) in
            try DocumentSummary(Fields(value, limits: limits))
        }
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("docs", documents) { writer, document in
            writer.beginObject()
            document.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.member("more", ifTrue: hasMore)
    }
}

/// Subscribes to documents being created, changed, renamed and deleted.
package struct Follow: WireMessage {
    package static var type: StaticString { "follow" }

    package var prefix: WireString?

    package init(prefix: WireString? = nil) { self.prefix = prefix }

    init(_ fields: Fields) throws(FieldFault) {
        prefix = try fields.string(optional: "prefix", atMost: Limits.name)
    }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("prefix", prefix) }
}

/// Ends the subscription that `follow` began.
package struct Unfollow: WireMessage {
    package static var type: StaticString { "unfollow" }

    package init() {}

    package func writeMembers(to writer: inout JSONWriter) {}
}
