package import CaretCore

/// The answer to `GET /diff/NAME`, which exists only over HTTP.
package struct Difference: Equatable, Sendable {
    package let document: WireString
    package let epoch: WireString
    package let old: Revision
    package let new: Revision
    package let edits: [WireEdit]

    package init(
        of document: WireString, epoch: WireString, from old: Revision, to new: Revision, edits: [WireEdit]
    ) {
        self.document = document
        self.epoch = epoch
        self.old = old
        self.new = new
        self.edits = edits
    }

    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("from", old.value)
        writer.member("to", new.value)
        writer.member("edits", edits)
        writer.endObject()
        writer.endLine()
    }
}

extension Revisions {
    /// Writes each revision as a line of its own.
    package func encodeLines(into writer: inout JSONWriter) {
        for revision in revisions {
            writer.beginObject()
            revision.writeMembers(to: &writer)
            writer.endObject()
            writer.endLine()
        }
    }
}
