package import CaretCore

/// Renames a document.
package struct Rename: WireMessage {
    package static var type: StaticString { "rename" }

    package var document: WireString
    package var to: WireString

    package init(document: WireString, to: WireString) {
        self.document = document
        self.to = to
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        to = try fields.document("to")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("to", to)
    }
}

/// Deletes a document.
package struct Delete: WireMessage {
    package static var type: StaticString { "delete" }

    package var document: WireString

    package init(document: WireString) { self.document = document }

    init(_ fields: Fields) throws(FieldFault) { document = try fields.document() }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("doc", document) }
}

/// The answer to a request that returns nothing.
package struct Done: WireMessage {
    package static var type: StaticString { "done" }

    package init() {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// Reports that a document no longer exists under this name. The server sends it to each session that has the
/// document open, and to each follower.
package struct Gone: WireMessage {
    package static var type: StaticString { "gone" }

    package var document: WireString
    /// The epoch of the document that is gone. The name alone does not identify it, because another document
    /// may already have this name.
    package var epoch: WireString?
    package var reason: OpenWord<GoneReason>
    /// The new name. Only receivers that may read the renamed document get the new name.
    package var to: WireString?
    /// The message is for a follower. Such a message does not end a session.
    package var isFollowed: Bool

    package init(
        document: WireString, epoch: WireString?, reason: GoneReason, to: WireString? = nil,
        isFollowed: Bool = false
    ) {
        self.document = document
        self.epoch = epoch
        self.reason = .known(reason)
        self.to = to
        self.isFollowed = isFollowed
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string(optional: "epoch")
        reason = try fields.openWord("reason")
        to = try fields.string(optional: "to")
        isFollowed = try fields.flag("followed")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("reason", reason)
        writer.member("to", to)
        writer.member("followed", ifTrue: isFollowed)
    }
}

/// Reports that the receiver's rights on a document have changed.
package struct RightsChange: WireMessage {
    package static var type: StaticString { "rights" }

    package var document: WireString
    package var rights: Rights

    package init(document: WireString, rights: Rights) {
        self.document = document
        self.rights = rights
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        rights = try fields.word("rights")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rights", rights)
    }
}

/// The whole text of a document. The server sends this message if it cannot send the changes.
package struct Resync: WireMessage {
    package static var type: StaticString { "resync" }

    package var document: WireString
    package var epoch: WireString
    package var revision: Revision
    package var text: WireString
    package var reason: OpenWord<ResyncReason>
    package var own: OwnPush?

    package init(
        document: WireString, epoch: WireString, revision: Revision, text: WireString,
        reason: ResyncReason, own: OwnPush? = nil
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.text = text
        self.reason = .known(reason)
        self.own = own
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        text = try fields.string("text")
        reason = try fields.openWord("reason")
        own = try fields.own()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        writer.member("text", text)
        writer.member("reason", reason)
        writer.member("own", own)
    }
}
