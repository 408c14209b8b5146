package import CaretCore

/// A request about the names of revisions.
package enum TagRequest: Equatable, Sendable {
    case add(AddTag)
    case remove(RemoveTag)
    case list(ListTags)

    /// Decodes the request of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(AddTag.type) {
            self = .add(try AddTag(fields))
        } else if type.equals(RemoveTag.type) {
            self = .remove(try RemoveTag(fields))
        } else if type.equals(ListTags.type) {
            self = .list(try ListTags(fields))
        } else {
            return nil
        }
    }

    package var document: WireString {
        switch self {
        case .add(let add): add.document
        case .remove(let remove): remove.document
        case .list(let list): list.document
        }
    }

    func encode(id: RequestID?, into writer: inout JSONWriter) {
        switch self {
        case .add(let message): message.encode(id: id, into: &writer)
        case .remove(let message): message.encode(id: id, into: &writer)
        case .list(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// Names a revision of a document.
package struct AddTag: WireMessage {
    package static var type: StaticString { "tag" }

    package var document: WireString
    package var name: WireString
    package var revision: Revision

    package init(document: WireString, name: WireString, revision: Revision) {
        self.document = document
        self.name = name
        self.revision = revision
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        name = try fields.tagName()
        revision = try fields.revision("rev")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("name", name)
        writer.member("rev", revision.value)
    }
}

/// Removes the name of a revision. The revision stays.
package struct RemoveTag: WireMessage {
    package static var type: StaticString { "untag" }

    package var document: WireString
    package var name: WireString

    package init(document: WireString, name: WireString) {
        self.document = document
        self.name = name
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        name = try fields.tagName()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("name", name)
    }
}

/// Requests all tags of a document.
package struct ListTags: WireMessage {
    package static var type: StaticString { "list_tags" }

    package var document: WireString

    package init(document: WireString) { self.document = document }

    init(_ fields: Fields) throws(FieldFault) { document = try fields.document() }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("doc", document) }
}

/// The answer to `list_tags`.
package struct TagList: WireMessage {
    package static var type: StaticString { "tags" }

    package struct Item: Equatable, Sendable {
        package var name: WireString
        package var revision: Revision
        package var user: WireString
        /// When the tag was made, in milliseconds.
        package var time: Int

        package init(name: WireString, revision: Revision, user: WireString, time: Int) {
            self.name = name
            self.revision = revision
            self.user = user
            self.time = time
        }
    }

    package var document: WireString
    package var tags: [Item]

    package init(document: WireString, tags: [Item]) {
        self.document = document
        self.tags = tags
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        document = try fields.string("doc")
        tags = try fields.array("tags") { value throws(FieldFault) in
            try Item(try Fields(value, limits: limits))
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("tags", tags) { writer, tag in tag.write(to: &writer) }
    }
}

extension TagList.Item {
    init(_ fields: Fields) throws(FieldFault) {
        self.init(
            name: try fields.string("name"), revision: try fields.revision("rev"),
            user: try fields.string("user"), time: try fields.integer("time"))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("rev", revision.value)
        writer.member("user", user)
        writer.member("time", time)
        writer.endObject()
    }
}

extension Fields {
    fileprivate func tagName() throws(FieldFault) -> WireString {
        try string("name", atMost: Limits.tagName, orElse: .badName)
    }
}
