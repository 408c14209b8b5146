package import CaretCore

/// A revision together with the epoch that it belongs to.
package struct WirePosition: Hashable, Sendable {
    package let epoch: WireString
    package let revision: Revision

    package init(epoch: WireString, revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }
}

/// Opens a document and subscribes to its changes.
package struct Open: WireMessage {
    package static var type: StaticString { "open" }

    package var document: WireString
    /// Create the document if it does not exist.
    package var create: Bool
    /// The last position that the client knows. The server resumes the changes from there.
    package var resume: WirePosition?
    package var mode: OpenMode
    /// The server may combine several revisions into one change.
    package var squash: Bool

    package init(
        document: WireString, create: Bool = false, resume: WirePosition? = nil, mode: OpenMode = .edit,
        squash: Bool = false
    ) {
        self.document = document
        self.create = create
        self.resume = resume
        self.mode = mode
        self.squash = squash
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        create = try fields.flag("create")
        let epoch = try fields.string(optional: "epoch", atMost: Limits.epoch)
        let revision = try fields.revision(optional: "rev")
        switch (epoch, revision) {
        case (let epoch?, let revision?): resume = WirePosition(epoch: epoch, revision: revision)
        case (nil, nil): resume = nil
        case (nil, _?): throw fields.fault("epoch", "is missing, but rev is given")
        case (_?, nil): throw fields.fault("rev", "is missing, but epoch is given")
        }
        mode = try fields.word(optional: "mode") ?? .edit
        squash = try fields.flag("squash")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("create", ifTrue: create)
        if let resume {
            writer.member("epoch", resume.epoch)
            writer.member("rev", resume.revision.value)
        }
        if mode != .edit { writer.member("mode", mode) }
        writer.member("squash", ifTrue: squash)
    }
}

/// The receiver's highest committed push.
package struct OwnPush: Hashable, Sendable {
    package let seq: PushNumber
    package let revision: Revision

    package init(seq: PushNumber, revision: Revision) {
        self.seq = seq
        self.revision = revision
    }

    init(_ fields: Fields) throws(FieldFault) {
        seq = PushNumber(try fields.integer("seq"))
        revision = try fields.revision("rev")
    }
}

extension Fields {
    func own() throws(FieldFault) -> OwnPush? {
        guard let value = value(optional: "own") else { return nil }
        return try read("own", value) { value throws(FieldFault) in
            try OwnPush(Fields(value, limits: limits))
        }
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ own: OwnPush?) {
        guard let own else { return }
        key(name)
        beginObject()
        member("seq", Int(own.seq))
        member("rev", own.revision.value)
        endObject()
    }
}

/// The answer to `open`.
package struct Opened: WireMessage {
    package static var type: StaticString { "opened" }

    package enum Content: Equatable, Sendable {
        /// The whole text.
        case text(WireString)
        /// The client's position is still valid. The next messages are the changes after this position.
        case resumed
        /// The whole text, because the position that the client sent is not valid any more.
        case textAfterAll(WireString)
    }

    package var document: WireString
    package var epoch: WireString
    package var revision: Revision
    package var content: Content
    package var rights: Rights
    package var newline: Newline
    package var peers: [Peer]
    package var own: OwnPush?

    package init(
        document: WireString, epoch: WireString, revision: Revision, content: Content, rights: Rights,
        newline: Newline, peers: [Peer] = [], own: OwnPush? = nil
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.content = content
        self.rights = rights
        self.newline = newline
        self.peers = peers
        self.own = own
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        switch try fields.flag(optional: "resumed") {
        case true?: content = .resumed
        case false?: content = .textAfterAll(try fields.string("text"))
        case nil: content = .text(try fields.string("text"))
        }
        rights = try fields.word("rights")
        newline = try fields.word("newline")
        let limits = fields.limits
        peers =
            try fields.array(optional: "peers") { value throws(FieldFault) in
                try Peer(Fields(value, limits: limits))
            } ?? []
        own = try fields.own()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision.value)
        switch content {
        case .text(let text):
            writer.member("text", text)
        case .resumed:
            writer.member("resumed", true)
        case .textAfterAll(let text):
            writer.member("resumed", false)
            writer.member("text", text)
        }
        writer.member("rights", rights)
        writer.member("newline", newline)
        writer.member("peers", peers) { writer, peer in
            writer.beginObject()
            peer.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.member("own", own)
    }
}

/// Closes a document. The client receives no more changes of this document.
package struct Close: WireMessage {
    package static var type: StaticString { "close" }

    package var document: WireString

    package init(document: WireString) { self.document = document }

    init(_ fields: Fields) throws(FieldFault) { document = try fields.document() }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("doc", document) }
}

/// The answer to `close`. The server first sends the acks of earlier pushes.
package struct Closed: WireMessage {
    package static var type: StaticString { "closed" }

    package var document: WireString

    package init(document: WireString) { self.document = document }

    init(_ fields: Fields) throws(FieldFault) { document = try fields.string("doc") }

    package func writeMembers(to writer: inout JSONWriter) { writer.member("doc", document) }
}
