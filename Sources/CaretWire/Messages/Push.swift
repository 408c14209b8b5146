package import CaretCore

/// Requests that the server commit a change.
package struct Push: WireMessage {
    package static var type: StaticString { "push" }

    package enum Content: Equatable, Sendable {
        case edits([WireEdit])
        /// The whole new text. The server compares it with the text at the base.
        case text(WireString)
    }

    package var document: WireString
    package var epoch: WireString?
    package var base: Revision
    package var seq: PushNumber
    package var content: Content
    /// Whether the ack must include the text.
    package var wantsText: Bool
    /// Create the document if it does not exist.
    package var create: Bool
    /// Refuse the push, instead of rebasing it, if the base is not the head.
    package var exact: Bool

    package init(
        document: WireString, epoch: WireString?, base: Revision, seq: PushNumber, content: Content,
        wantsText: Bool = false, create: Bool = false, exact: Bool = false
    ) {
        self.document = document
        self.epoch = epoch
        self.base = base
        self.seq = seq
        self.content = content
        self.wantsText = wantsText
        self.create = create
        self.exact = exact
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        epoch = try fields.string(optional: "epoch", atMost: Limits.epoch)
        base = try fields.revision("base")
        seq = PushNumber(try fields.integer("seq"))
        content = try Content(fields)
        wantsText = try fields.word(optional: "want") == Want.text
        create = try fields.flag("create")
        exact = try fields.flag("exact")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("base", base.value)
        writer.member("seq", Int(seq))
        switch content {
        case .edits(let edits): writer.member("edits", edits)
        case .text(let text): writer.member("text", text)
        }
        if wantsText { writer.member("want", Want.text) }
        writer.member("create", ifTrue: create)
        writer.member("exact", ifTrue: exact)
    }
}

/// What a push can request in its ack.
private enum Want: String, CaseIterable, WireWord {
    case text
}

extension Push.Content {
    init(_ fields: Fields) throws(FieldFault) {
        switch (fields.value(optional: "edits"), fields.value(optional: "text")) {
        case (let edits?, nil):
            let limit = fields.limits.edits
            self = .edits(
                try fields.read("edits", edits) { value throws(FieldFault) in
                    try value.array(atMost: limit, orElse: .tooLarge) { edit throws(FieldFault) in
                        try WireEdit(edit)
                    }
                })
        case (nil, _?): self = .text(try fields.string("text"))
        case (nil, nil): throw fields.fault("edits", "is missing, and so is text; expected one of them")
        case (_?, _?): throw fields.fault("text", "is given together with edits; expected one of them")
        }
    }
}

/// Reports that a push is synced to disk, or that it changed nothing.
package struct Ack: WireMessage {
    package static var type: StaticString { "ack" }

    package var document: WireString
    package var seq: PushNumber
    /// The document's epoch, if the push named none, or was unchanged: then it may have named another one.
    package var epoch: WireString?
    package var revision: Revision
    /// The edits as committed, if they differ from the edits sent.
    package var edits: [WireEdit]?
    package var text: WireString?
    package var unchanged: Bool
    package var duplicate: Bool

    package init(
        document: WireString, seq: PushNumber, epoch: WireString? = nil, revision: Revision,
        edits: [WireEdit]? = nil, text: WireString? = nil, unchanged: Bool = false, duplicate: Bool = false
    ) {
        self.document = document
        self.seq = seq
        self.epoch = epoch
        self.revision = revision
        self.edits = edits
        self.text = text
        self.unchanged = unchanged
        self.duplicate = duplicate
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        seq = PushNumber(try fields.integer("seq"))
        epoch = try fields.string(optional: "epoch")
        revision = try fields.revision("rev")
        edits = try fields.edits(optional: "edits")
        text = try fields.string(optional: "text")
        unchanged = try fields.flag("unchanged")
        duplicate = try fields.flag("duplicate")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("seq", Int(seq))
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        if let edits { writer.member("edits", edits) }
        writer.member("text", text)
        writer.member("unchanged", ifTrue: unchanged)
        writer.member("duplicate", ifTrue: duplicate)
    }
}

extension Fields {
    /// Reads edits that the server sent. Their number is not limited.
    func edits(optional name: StaticString) throws(FieldFault) -> [WireEdit]? {
        try array(optional: name) { value throws(FieldFault) in try WireEdit(value) }
    }
}

/// A revision of an open document, or several revisions combined.
package struct WireChange: WireMessage {
    package static var type: StaticString { "change" }

    /// Who made a revision, and the time in milliseconds.
    package struct Author: Hashable, Sendable {
        package let user: WireString
        package let client: WireString
        package let time: Int

        package init(user: WireString, client: WireString, time: Int) {
            self.user = user
            self.client = client
            self.time = time
        }
    }

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
        edits = try fields.array("edits") { value throws(FieldFault) in try WireEdit(value) }
        if let from = try fields.revision(optional: "from") {
            origin = .squashed(from: from)
        } else {
            let user = try fields.string("user")
            let client = try fields.string("client")
            origin = .one(Author(user: user, client: client, time: try fields.integer("time")))
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision.value)
        switch origin {
        case .one(let author):
            writer.member("edits", edits)
            writer.member("user", author.user)
            writer.member("client", author.client)
            writer.member("time", author.time)
        case .squashed(let from):
            writer.member("from", from.value)
            writer.member("edits", edits)
        }
    }
}
