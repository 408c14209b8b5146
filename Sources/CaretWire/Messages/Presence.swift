package import CaretCore

/// Reports what a session has selected, in the text at a revision.
package struct Select: WireMessage {
    package static var type: StaticString { "select" }

    package var document: WireString
    package var revision: Revision
    /// An empty list hides the session's carets.
    package var selections: [WireSelection]

    package init(document: WireString, revision: Revision, selections: [WireSelection]) {
        self.document = document
        self.revision = revision
        self.selections = selections
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document()
        revision = try fields.revision("rev")
        selections = try fields.selections(atMost: fields.limits.selections)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision.value)
        writer.member("selections", selections)
    }
}

extension Fields {
    func selections(atMost limit: Int = .max) throws(FieldFault) -> [WireSelection] {
        try array("selections", atMost: limit, orElse: .tooLarge) { value throws(FieldFault) in
            try WireSelection(value)
        }
    }
}

/// What other sessions may know about a session's owner.
package struct Introduction: Hashable, Sendable {
    package let user: WireString
    /// The public id of the client.
    package let client: WireString
    package let info: WireInfo?

    package init(user: WireString, client: WireString, info: WireInfo? = nil) {
        self.user = user
        self.client = client
        self.info = info
    }

    init(_ fields: Fields) throws(FieldFault) {
        user = try fields.string("user")
        client = try fields.string("client")
        info = try fields.info()
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("client", client)
        writer.member("info", info)
    }
}

/// Another session of a document, as listed by `opened`.
package struct Peer: Hashable, Sendable {
    package let session: WireString
    package let introduction: Introduction
    package let selections: [WireSelection]

    package init(session: WireString, introduction: Introduction, selections: [WireSelection]) {
        self.session = session
        self.introduction = introduction
        self.selections = selections
    }

    init(_ fields: Fields) throws(FieldFault) {
        session = try fields.string("session")
        introduction = try Introduction(fields)
        selections = try fields.selections()
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("session", session)
        introduction.writeMembers(to: &writer)
        writer.member("selections", selections)
    }
}

/// Reports that another session of an open document has changed its selections, or has ended.
package struct PeerChange: WireMessage {
    package static var type: StaticString { "peer" }

    package enum News: Hashable, Sendable {
        /// The session's selections, at the revision that the receiver has reached. The first message about a
        /// session has an introduction.
        case selected(revision: Revision, selections: [WireSelection], introduction: Introduction?)
        case left
    }

    package var document: WireString
    package var session: WireString
    package var news: News

    package init(document: WireString, session: WireString, news: News) {
        self.document = document
        self.session = session
        self.news = news
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        session = try fields.string("session")
        if try fields.flag("left") {
            news = .left
        } else {
            news = .selected(
                revision: try fields.revision("rev"), selections: try fields.selections(),
                introduction: fields.has("user") ? try Introduction(fields) : nil)
        }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("session", session)
        switch news {
        case .selected(let revision, let selections, let introduction):
            introduction?.writeMembers(to: &writer)
            writer.member("rev", revision.value)
            writer.member("selections", selections)
        case .left:
            writer.member("left", true)
        }
    }
}
