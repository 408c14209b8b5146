/// Reads and checks the whole store, or everything stored for one document.
package struct Verify: WireMessage {
    package static var type: StaticString { "verify" }

    package var document: WireString?

    package init(document: WireString? = nil) { self.document = document }

    init(_ fields: Fields) throws(FieldFault) {
        document = fields.has("doc") ? try fields.document() : nil
    }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("doc", document) }
}

/// Copies the store into a backup file.
package struct BackUp: WireMessage {
    package static var type: StaticString { "backup" }

    package init() {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// Progress of `verify` or `backup`, in documents or pages. The answer follows later.
package struct MaintenanceProgress: WireMessage {
    package static var type: StaticString { "progress" }

    package var done: Int
    package var all: Int

    package init(done: Int, of all: Int) {
        self.done = done
        self.all = all
    }

    init(_ fields: Fields) throws(FieldFault) {
        done = try fields.integer("done")
        all = try fields.integer("of")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("done", done)
        writer.member("of", all)
    }
}

/// The answer to `verify`.
package struct Verified: WireMessage {
    package static var type: StaticString { "verified" }

    /// A place where the store is damaged.
    package struct Finding: Equatable, Sendable {
        /// The number of the damaged document; nil if it is not known, or if the damage concerns no document.
        package var number: Int?
        package var document: WireString?
        /// What is damaged, as a text for people.
        package var message: WireString

        package init(number: Int?, document: WireString?, message: WireString) {
            self.number = number
            self.document = document
            self.message = message
        }
    }

    package var documents: Int
    package var revisions: Int
    /// At most 1,000 findings, and fewer if they do not fit into the answer. If the list is empty, the store is
    /// not damaged.
    package var findings: [Finding]
    /// There are more findings.
    package var hasMore: Bool

    package init(documents: Int, revisions: Int, findings: [Finding], hasMore: Bool = false) {
        self.documents = documents
        self.revisions = revisions
        self.findings = findings
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        let limits = fields.limits
        documents = try fields.integer("documents")
        revisions = try fields.integer("revisions")
        findings = try fields.array("findings") { value throws(FieldFault) in
            let fields = try Fields(value, limits: limits)
            return Finding(
                number: try fields.integer(optional: "number"), document: try fields.string(optional: "doc"),
                message: try fields.string("message"))
        }
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("documents", documents)
        writer.member("revisions", revisions)
        writer.member("findings", findings) { writer, finding in
            writer.beginObject()
            writer.member("number", finding.number)
            writer.member("doc", finding.document)
            writer.member("message", finding.message)
            writer.endObject()
        }
        writer.member("more", ifTrue: hasMore)
    }
}

/// The answer to `backup`.
package struct BackedUp: WireMessage {
    package static var type: StaticString { "backed_up" }

    /// The name of the file in the folder `backups` of the data folder.
    package var file: WireString
    package var bytes: Int
    package var documents: Int

    package init(file: WireString, bytes: Int, documents: Int) {
        self.file = file
        self.bytes = bytes
        self.documents = documents
    }

    init(_ fields: Fields) throws(FieldFault) {
        file = try fields.string("file")
        bytes = try fields.integer("bytes")
        documents = try fields.integer("documents")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("file", file)
        writer.member("bytes", bytes)
        writer.member("documents", documents)
    }
}
