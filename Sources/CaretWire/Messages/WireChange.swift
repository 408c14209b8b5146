package import CaretCore

/// A revision of an open document, or several revisions combined.
package struct WireChange: WireMessage {
    package static var type: StaticString { "change" }

    package enum Origin: Equatable, Sendable {
        case one(Author)
        /// All revisions after `from`, up to `revision`, combined.
        case squashed(from: Revision)
    }

    package var document: WireString
    package var revision: Revision
    package var origin: Origin
    package var edits: [WireEdit]

    package init(document: WireString, revision: Revision, origin: Origin, edits: [WireEdit]) {
        self.document = document
        self.revision = revision
        self.origin = origin
        self.edits = edits
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        revision = try fields.revision("rev")
        edits = try fields.edits("edits")
        if let from = try fields.revision(optional: "from") {
            origin = .squashed(from: from)
        } else {
            origin = .one(try Author(fields))
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision)
        switch origin {
        case .one(let author):
            writer.member("edits", edits)
            author.writeMembers(to: &writer)
        case .squashed(let from):
            writer.member("from", from)
            writer.member("edits", edits)
        }
    }
}

extension WireChange.Author {
    /// Nil if all fields are missing.
    init?(optional fields: Fields) throws(FieldFault) {
        guard fields.has("user") else {
            for name: StaticString in ["client", "time"] where fields.has(name) {
                throw fields.fault("user", "is missing, but \(name) is given")
            }
            return nil
        }
        try self.init(fields)
    }
}
