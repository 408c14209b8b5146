// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

package import CaretCore

/// A message from a client to the server.
package enum ClientMessage: Equatable, Sendable {
    case hello(Hello)
    case authenticate(Authenticate)
    case ping(Ping)
    case pong(Pong)
    case open(Open)
    case close(Close)
    case push(Push)
    case diverged(Diverged)
    case select(Select)
    case list(List)
    case follow(Follow)
    case unfollow(Unfollow)
    case read(Read)
    case history(History)
    case blame(BlameRequest)
    case restore(Restore)
    case rename(Rename)
    case delete(Delete)
    case listDeleted(ListDeleted)
    case undelete(Undelete)
    case tags(TagRequest)
    case notes(NoteRequest)
    case links(LinkRequest)
    case admin(AdminRequest)

    /// Decodes the message of this type; nil if the type is unknown. The most frequent types come first.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(Push.type) {
            self = .push(try Push(fields))
        } else if type.equals(Select.type) {
            self = .select(try Select(fields))
        } else if type.equals(Ping.type) {
            self = .ping(try Ping(fields))
        } else if type.equals(Pong.type) {
            self = .pong(try Pong(fields))
        } else if type.equals(Hello.type) {
            self = .hello(try Hello(fields))
        } else if type.equals(Open.type) {
            self = .open(try Open(fields))
        } else if type.equals(Authenticate.type) {
            self = .authenticate(try Authenticate(fields))
        } else if type.equals(Close.type) {
            self = .close(try Close(fields))
        } else if type.equals(Diverged.type) {
            self = .diverged(try Diverged(fields))
        } else if type.equals(List.type) {
            self = .list(try List(fields))
        } else if type.equals(Follow.type) {
            self = .follow(try Follow(fields))
        } else if type.equals(Unfollow.type) {
            self = .unfollow(try Unfollow(fields))
        } else if type.equals(Read.type) {
            self = .read(try Read(fields))
        } else if type.equals(History.type) {
            self = .history(try History(fields))
        } else if type.equals(BlameRequest.type) {
            self = .blame(try BlameRequest(fields))
        } else if type.equals(Restore.type) {
            self = .restore(try Restore(fields))
        } else if type.equals(Rename.type) {
            self = .rename(try Rename(fields))
        } else if type.equals(Delete.type) {
            self = .delete(try Delete(fields))
        } else if type.equals(ListDeleted.type) {
            self = .listDeleted(try ListDeleted(fields))
        } else if type.equals(Undelete.type) {
            self = .undelete(try Undelete(fields))
        } else {
            try self.init(type20: type, fields)
        }
    }

    private init?(type20 type: JSONString, _ fields: Fields) throws(FieldFault) {
        if let message = try TagRequest(type: type, fields) {
            self = .tags(message)
        } else if let message = try NoteRequest(type: type, fields) {
            self = .notes(message)
        } else if let message = try LinkRequest(type: type, fields) {
            self = .links(message)
        } else if let message = try AdminRequest(type: type, fields) {
            self = .admin(message)
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    package func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .hello(let message): message.encode(id: id, into: &writer)
        case .authenticate(let message): message.encode(id: id, into: &writer)
        case .ping(let message): message.encode(id: id, into: &writer)
        case .pong(let message): message.encode(id: id, into: &writer)
        case .open(let message): message.encode(id: id, into: &writer)
        case .close(let message): message.encode(id: id, into: &writer)
        case .push(let message): message.encode(id: id, into: &writer)
        case .diverged(let message): message.encode(id: id, into: &writer)
        case .select(let message): message.encode(id: id, into: &writer)
        case .list(let message): message.encode(id: id, into: &writer)
        case .follow(let message): message.encode(id: id, into: &writer)
        case .unfollow(let message): message.encode(id: id, into: &writer)
        case .read(let message): message.encode(id: id, into: &writer)
        case .history(let message): message.encode(id: id, into: &writer)
        case .blame(let message): message.encode(id: id, into: &writer)
        case .restore(let message): message.encode(id: id, into: &writer)
        case .rename(let message): message.encode(id: id, into: &writer)
        case .delete(let message): message.encode(id: id, into: &writer)
        case .listDeleted(let message): message.encode(id: id, into: &writer)
        case .undelete(let message): message.encode(id: id, into: &writer)
        case .tags(let message): message.encode(id: id, into: &writer)
        case .notes(let message): message.encode(id: id, into: &writer)
        case .links(let message): message.encode(id: id, into: &writer)
        case .admin(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// A request about the names of revisions, or for a copy of the document with them.
package enum TagRequest: Equatable, Sendable {
    case add(AddTag)
    case remove(RemoveTag)
    case list(ListTags)
    case copy(CopyDocument)

    /// The document that the request is about.
    package var document: WireString {
        switch self {
        case .add(let message): message.document
        case .remove(let message): message.document
        case .list(let message): message.document
        case .copy(let message): message.document
        }
    }

    /// The names of the documents that the message is about: at most two.
    var documents: (WireString?, WireString?) {
        switch self {
        case .add(let message): (message.document, nil)
        case .remove(let message): (message.document, nil)
        case .list(let message): (message.document, nil)
        case .copy(let message): (message.document, message.to)
        }
    }

    /// Decodes the message of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(AddTag.type) {
            self = .add(try AddTag(fields))
        } else if type.equals(RemoveTag.type) {
            self = .remove(try RemoveTag(fields))
        } else if type.equals(ListTags.type) {
            self = .list(try ListTags(fields))
        } else if type.equals(CopyDocument.type) {
            self = .copy(try CopyDocument(fields))
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .add(let message): message.encode(id: id, into: &writer)
        case .remove(let message): message.encode(id: id, into: &writer)
        case .list(let message): message.encode(id: id, into: &writer)
        case .copy(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// A request about the notes of a document.
package enum NoteRequest: Equatable, Sendable {
    case add(AddNote)
    case change(ChangeNote)
    case remove(RemoveNote)
    case list(ListNotes)

    /// The document that the request is about.
    package var document: WireString {
        switch self {
        case .add(let message): message.document
        case .change(let message): message.document
        case .remove(let message): message.document
        case .list(let message): message.document
        }
    }

    /// The names of the documents that the message is about: at most two.
    var documents: (WireString?, WireString?) {
        switch self {
        case .add(let message): (message.document, nil)
        case .change(let message): (message.document, nil)
        case .remove(let message): (message.document, nil)
        case .list(let message): (message.document, nil)
        }
    }

    /// Decodes the message of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(AddNote.type) {
            self = .add(try AddNote(fields))
        } else if type.equals(ChangeNote.type) {
            self = .change(try ChangeNote(fields))
        } else if type.equals(RemoveNote.type) {
            self = .remove(try RemoveNote(fields))
        } else if type.equals(ListNotes.type) {
            self = .list(try ListNotes(fields))
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .add(let message): message.encode(id: id, into: &writer)
        case .change(let message): message.encode(id: id, into: &writer)
        case .remove(let message): message.encode(id: id, into: &writer)
        case .list(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// A request about the links to a document.
package enum LinkRequest: Equatable, Sendable {
    case add(AddLink)
    case list(ListLinks)
    case end(EndLink)

    /// The document that the request is about.
    package var document: WireString {
        switch self {
        case .add(let message): message.document
        case .list(let message): message.document
        case .end(let message): message.document
        }
    }

    /// The names of the documents that the message is about: at most two.
    var documents: (WireString?, WireString?) {
        switch self {
        case .add(let message): (message.document, nil)
        case .list(let message): (message.document, nil)
        case .end(let message): (message.document, nil)
        }
    }

    /// Decodes the message of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(AddLink.type) {
            self = .add(try AddLink(fields))
        } else if type.equals(ListLinks.type) {
            self = .list(try ListLinks(fields))
        } else if type.equals(EndLink.type) {
            self = .end(try EndLink(fields))
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .add(let message): message.encode(id: id, into: &writer)
        case .list(let message): message.encode(id: id, into: &writer)
        case .end(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// An administrator's request about the server as a whole.
package enum AdminRequest: Equatable, Sendable {
    case listTokens(ListTokens)
    case addToken(AddToken)
    case revokeToken(RevokeToken)
    case signOut(SignOutRequest)
    case counters(ReadCounters)
    case who(Who)
    case listNodes(ListNodes)
    case trim(Trim)
    case redact(Redact)
    case verify(Verify)
    case backUp(BackUp)

    static let types: [StaticString] = [
        ListTokens.type, AddToken.type, RevokeToken.type, SignOutRequest.type, ReadCounters.type, Who.type,
        ListNodes.type, Trim.type, Redact.type, Verify.type, BackUp.type,
    ]

    /// The document that the request is about, if any.
    package var document: WireString? {
        switch self {
        case .trim(let message): message.document
        case .redact(let message): message.document
        case .verify(let message): message.document
        case .listTokens, .addToken, .revokeToken, .signOut, .counters, .who, .listNodes, .backUp: nil
        }
    }

    /// Decodes the message of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(ListTokens.type) {
            self = .listTokens(try ListTokens(fields))
        } else if type.equals(AddToken.type) {
            self = .addToken(try AddToken(fields))
        } else if type.equals(RevokeToken.type) {
            self = .revokeToken(try RevokeToken(fields))
        } else if type.equals(SignOutRequest.type) {
            self = .signOut(try SignOutRequest(fields))
        } else if type.equals(ReadCounters.type) {
            self = .counters(try ReadCounters(fields))
        } else if type.equals(Who.type) {
            self = .who(try Who(fields))
        } else if type.equals(ListNodes.type) {
            self = .listNodes(try ListNodes(fields))
        } else if type.equals(Trim.type) {
            self = .trim(try Trim(fields))
        } else if type.equals(Redact.type) {
            self = .redact(try Redact(fields))
        } else if type.equals(Verify.type) {
            self = .verify(try Verify(fields))
        } else if type.equals(BackUp.type) {
            self = .backUp(try BackUp(fields))
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .listTokens(let message): message.encode(id: id, into: &writer)
        case .addToken(let message): message.encode(id: id, into: &writer)
        case .revokeToken(let message): message.encode(id: id, into: &writer)
        case .signOut(let message): message.encode(id: id, into: &writer)
        case .counters(let message): message.encode(id: id, into: &writer)
        case .who(let message): message.encode(id: id, into: &writer)
        case .listNodes(let message): message.encode(id: id, into: &writer)
        case .trim(let message): message.encode(id: id, into: &writer)
        case .redact(let message): message.encode(id: id, into: &writer)
        case .verify(let message): message.encode(id: id, into: &writer)
        case .backUp(let message): message.encode(id: id, into: &writer)
        }
    }
}

extension ClientMessage {
    /// Whether the message must be answered before the next request of the connection runs.
    package var waits: Bool {
        switch self {
        case .authenticate, .open, .close, .diverged, .list, .follow, .unfollow, .read, .history, .blame,
            .rename, .delete, .listDeleted, .undelete, .tags, .notes, .links, .admin:
            true
        case .hello, .ping, .pong, .push, .select, .restore: false
        }
    }

    /// The names of the documents that the message is about: at most two.
    package var documents: (WireString?, WireString?) {
        switch self {
        case .hello, .authenticate, .ping, .pong, .list, .follow, .unfollow, .listDeleted, .undelete, .admin:
            (nil, nil)
        case .open(let message): (message.document, nil)
        case .close(let message): (message.document, nil)
        case .push(let message): (message.document, nil)
        case .diverged(let message): (message.document, nil)
        case .select(let message): (message.document, nil)
        case .read(let message): (message.document, nil)
        case .history(let message): (message.document, nil)
        case .blame(let message): (message.document, nil)
        case .restore(let message): (message.document, nil)
        case .rename(let message): (message.document, message.to)
        case .delete(let message): (message.document, nil)
        case .tags(let message): message.documents
        case .notes(let message): message.documents
        case .links(let message): message.documents
        }
    }
}

/// Shows another token of the same user, before the one of the connection ends or to change the rights.
package struct Authenticate: WireMessage {
    package static var type: StaticString { "authenticate" }

    /// The token.
    package var token: WireString

    package init(token: WireString) {
        self.token = token
    }

    init(_ fields: Fields) throws(FieldFault) {
        token = try fields.string("token")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("token", token)
    }
}

/// Checks whether the other side still answers.
package struct Ping: WireMessage {
    package static var type: StaticString { "ping" }

    package init() {}

    init(_ fields: Fields) throws(FieldFault) {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// The answer to `ping`.
package struct Pong: WireMessage {
    package static var type: StaticString { "pong" }

    package init() {}

    init(_ fields: Fields) throws(FieldFault) {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// Opens a document and subscribes to its changes.
package struct Open: WireMessage {
    package static var type: StaticString { "open" }

    /// The name of the document.
    package var document: WireString
    /// Create the document if it is missing.
    package var create: Bool
    package var resume: WirePosition?
    /// `watch` promises not to push; the default is `edit`.
    package var mode: OpenMode
    /// The server may join several revisions into one `change`.
    package var squash: Bool
    /// Send `noted` when notes of the document have changed (rule N8).
    package var wantsNotes: Bool

    package init(
        document: WireString, create: Bool = false, resume: WirePosition? = nil, mode: OpenMode = .edit,
        squash: Bool = false, wantsNotes: Bool = false
    ) {
        self.document = document
        self.create = create
        self.resume = resume
        self.mode = mode
        self.squash = squash
        self.wantsNotes = wantsNotes
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        create = try fields.flag("create")
        resume = try WirePosition(optional: fields)
        mode = try fields.word(optional: "mode") ?? .edit
        squash = try fields.flag("squash")
        wantsNotes = try fields.flag("notes")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("create", ifTrue: create)
        resume?.writeMembers(to: &writer)
        if mode != .edit { writer.member("mode", mode) }
        writer.member("squash", ifTrue: squash)
        writer.member("notes", ifTrue: wantsNotes)
    }
}

/// Closes a document. The client receives no more changes of this document.
package struct Close: WireMessage {
    package static var type: StaticString { "close" }

    /// The name of the document.
    package var document: WireString

    package init(document: WireString) {
        self.document = document
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
    }
}

/// Requests that the server commit a change.
package struct Push: WireMessage {
    package static var type: StaticString { "push" }

    /// The name of the document.
    package var document: WireString
    /// The epoch of `base`; see rule P3 for a push without it.
    package var epoch: WireString?
    /// The revision that the push was made from.
    package var base: Revision
    /// The number of the push: it grows with each new one (rule P8).
    package var seq: PushNumber
    package var content: Push.Content
    /// Asks for the whole text in the ack.
    package var wantsText: Bool
    /// Without `epoch`: create the document if it is missing (rule P3).
    package var create: Bool
    /// Refuse the push if `base` is not the head (rule P21).
    package var exact: Bool

    package init(
        document: WireString, epoch: WireString? = nil, base: Revision, seq: PushNumber,
        content: Push.Content, wantsText: Bool = false, create: Bool = false, exact: Bool = false
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
        document = try fields.document("doc")
        epoch = try fields.string(optional: "epoch", atMost: Limits.epoch)
        base = try fields.revision("base")
        seq = try fields.seq("seq")
        content = try Push.Content(fields)
        wantsText = try fields.word(optional: "want") == Want.text
        create = try fields.flag("create")
        exact = try fields.flag("exact")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("base", base)
        writer.member("seq", seq)
        content.writeMembers(to: &writer)
        if wantsText { writer.member("want", Want.text) }
        writer.member("create", ifTrue: create)
        writer.member("exact", ifTrue: exact)
    }
}

/// Reports that the client's text at a revision does not match `check`. The client then opens the document
/// again.
package struct Diverged: WireMessage {
    package static var type: StaticString { "diverged" }

    /// The name of the document.
    package var document: WireString
    /// The revision of the `check`.
    package var revision: Revision

    package init(document: WireString, revision: Revision) {
        self.document = document
        self.revision = revision
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        revision = try fields.revision("rev")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision)
    }
}

/// Reports what a session has selected, in the text at a revision.
package struct Select: WireMessage {
    package static var type: StaticString { "select" }

    /// The name of the document.
    package var document: WireString
    /// The revision that the offsets count in.
    package var revision: Revision
    /// Anchor and head of each; `[]` hides the session.
    package var selections: [WireSelection]

    package init(document: WireString, revision: Revision, selections: [WireSelection]) {
        self.document = document
        self.revision = revision
        self.selections = selections
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        revision = try fields.revision("rev")
        selections = try fields.selections("selections", atMost: fields.limits.selections)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision)
        writer.member("selections", selections)
    }
}

/// Requests a page of the documents that the client may read.
package struct List: WireMessage {
    package static var type: StaticString { "list" }

    /// Only names that begin with these bytes.
    package var prefix: WireString?
    /// Only names after this one.
    package var after: WireString?
    /// How many at most; the default is 100.
    package var limit: Int

    package init(prefix: WireString? = nil, after: WireString? = nil, limit: Int = Limits.itemsByDefault) {
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

/// Subscribes to documents being created, changed, renamed and deleted.
package struct Follow: WireMessage {
    package static var type: StaticString { "follow" }

    /// Only names that begin with these bytes.
    package var prefix: WireString?

    package init(prefix: WireString? = nil) {
        self.prefix = prefix
    }

    init(_ fields: Fields) throws(FieldFault) {
        prefix = try fields.string(optional: "prefix", atMost: Limits.name)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("prefix", prefix)
    }
}

/// Ends the subscription that `follow` began.
package struct Unfollow: WireMessage {
    package static var type: StaticString { "unfollow" }

    package init() {}

    init(_ fields: Fields) throws(FieldFault) {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// Requests the text of a document.
package struct Read: WireMessage {
    package static var type: StaticString { "read" }

    /// The name of the document.
    package var document: WireString
    package var moment: Moment
    /// Only the text after this offset (rule D26).
    package var start: Int?
    /// Only the text before this offset (rule D26).
    package var end: Int?

    package init(document: WireString, moment: Moment = .unspecified, start: Int? = nil, end: Int? = nil) {
        self.document = document
        self.moment = moment
        self.start = start
        self.end = end
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        moment = try Moment(fields, "rev")
        start = try fields.integer(optional: "start")
        end = try fields.integer(optional: "end")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        moment.writeMembers(to: &writer, "rev")
        writer.member("start", start)
        writer.member("end", end)
    }
}

/// Requests a page of a document's revisions.
package struct History: WireMessage {
    package static var type: StaticString { "history" }

    /// The name of the document.
    package var document: WireString
    package var after: Moment
    /// How many at most; the default is 100.
    package var limit: Int
    /// With the edits of each revision.
    package var wantsEdits: Bool

    package init(
        document: WireString, after: Moment = .unspecified, limit: Int = Limits.itemsByDefault,
        wantsEdits: Bool = false
    ) {
        self.document = document
        self.after = after
        self.limit = limit
        self.wantsEdits = wantsEdits
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        after = try Moment(fields, "after")
        limit = try fields.pageLimit()
        wantsEdits = try fields.flag("edits")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        after.writeMembers(to: &writer, "after")
        writer.memberOfPageLimit(limit)
        writer.member("edits", ifTrue: wantsEdits)
    }
}

/// Requests a page of who changed each line of a text last.
package struct BlameRequest: WireMessage {
    package static var type: StaticString { "blame" }

    /// The name of the document.
    package var document: WireString
    /// The revision of the text; without it, the head.
    package var revision: Revision?
    /// Only lines after the one with this number.
    package var after: Int
    /// How many ranges at most; the default is 100.
    package var limit: Int

    package init(
        document: WireString, revision: Revision? = nil, after: Int = 0, limit: Int = Limits.itemsByDefault
    ) {
        self.document = document
        self.revision = revision
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        revision = try fields.revision(optional: "rev")
        after = try fields.integer(optional: "after") ?? 0
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision)
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// Makes a new revision with the text of an old revision. The server treats this request as a push.
package struct Restore: WireMessage {
    package static var type: StaticString { "restore" }

    /// The name of the document.
    package var document: WireString
    /// Its epoch.
    package var epoch: WireString
    /// The revision whose text is wanted.
    package var revision: Revision
    /// The number of the push.
    package var seq: PushNumber

    package init(document: WireString, epoch: WireString, revision: Revision, seq: PushNumber) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.seq = seq
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        epoch = try fields.string("epoch", atMost: Limits.epoch)
        revision = try fields.revision("rev")
        seq = try fields.seq("seq")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        writer.member("seq", seq)
    }
}

/// Renames a document.
package struct Rename: WireMessage {
    package static var type: StaticString { "rename" }

    /// The name of the document.
    package var document: WireString
    /// The new name.
    package var to: WireString

    package init(document: WireString, to: WireString) {
        self.document = document
        self.to = to
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
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

    /// The name of the document.
    package var document: WireString

    package init(document: WireString) {
        self.document = document
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
    }
}

/// Requests a page of the deleted documents that the client may write and that can still be undeleted.
package struct ListDeleted: WireMessage {
    package static var type: StaticString { "list_deleted" }

    /// Only names that begin with these bytes.
    package var prefix: WireString?
    /// Only documents with a higher number.
    package var after: Int?
    /// How many at most; the default is 100.
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

/// Restores a deleted document under its old name.
package struct Undelete: WireMessage {
    package static var type: StaticString { "undelete" }

    /// The number of the document.
    package var number: Int

    package init(number: Int) {
        self.number = number
    }

    init(_ fields: Fields) throws(FieldFault) {
        number = try fields.integer("number")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
    }
}

/// Names a revision of a document.
package struct AddTag: WireMessage {
    package static var type: StaticString { "tag" }

    /// The name of the document.
    package var document: WireString
    /// The name of the revision: ASCII letters, digits, `-`, `_` and `.`, with a letter first.
    package var name: WireString
    /// The revision.
    package var revision: Revision

    package init(document: WireString, name: WireString, revision: Revision) {
        self.document = document
        self.name = name
        self.revision = revision
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        name = try fields.string("name", atMost: Limits.tagName, orElse: .badName)
        revision = try fields.revision("rev")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("name", name)
        writer.member("rev", revision)
    }
}

/// Removes the name of a revision. The revision stays.
package struct RemoveTag: WireMessage {
    package static var type: StaticString { "untag" }

    /// The name of the document.
    package var document: WireString
    /// The name of the revision.
    package var name: WireString

    package init(document: WireString, name: WireString) {
        self.document = document
        self.name = name
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        name = try fields.string("name", atMost: Limits.tagName, orElse: .badName)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("name", name)
    }
}

/// Requests all tags of a document.
package struct ListTags: WireMessage {
    package static var type: StaticString { "list_tags" }

    /// The name of the document.
    package var document: WireString

    package init(document: WireString) {
        self.document = document
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
    }
}

/// Copies the text and the named revisions of a document under a new name.
package struct CopyDocument: WireMessage {
    package static var type: StaticString { "copy" }

    /// The name of the document.
    package var document: WireString
    /// The name of the copy.
    package var to: WireString

    package init(document: WireString, to: WireString) {
        self.document = document
        self.to = to
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        to = try fields.document("to")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("to", to)
    }
}

/// Writes a note, an answer to a note, or a suggestion.
package struct AddNote: WireMessage {
    package static var type: StaticString { "add_note" }

    /// The name of the document.
    package var document: WireString
    /// An id of this request, so that a repeat writes no second note (rule N5).
    package var request: WireString?
    /// The note to answer; an answer has no `range` and no `edits`.
    package var parent: Int?
    /// The revision that `range` and `edits` count in; required with them.
    package var revision: Revision?
    /// The words that the note is about; without it, the range of `edits`, or the whole document.
    package var range: WireRange?
    /// A change that the note suggests.
    package var edits: [WireEdit]?
    /// What the note says; no CR; it may be empty beside `edits`.
    package var text: WireString

    package init(
        document: WireString, request: WireString? = nil, parent: Int? = nil, revision: Revision? = nil,
        range: WireRange? = nil, edits: [WireEdit]? = nil, text: WireString
    ) {
        self.document = document
        self.request = request
        self.parent = parent
        self.revision = revision
        self.range = range
        self.edits = edits
        self.text = text
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        request = try fields.string(optional: "request", atMost: Limits.id)
        parent = try fields.integer(optional: "parent")
        revision = try fields.revision(optional: "rev")
        range = try fields.range(optional: "range")
        edits = try fields.edits(optional: "edits", atMost: Limits.noteEdits)
        text = try fields.string("text", atMost: Limits.noteText, orElse: .tooLarge)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("request", request)
        writer.member("parent", parent)
        writer.member("rev", revision)
        writer.member("range", range)
        if let edits { writer.member("edits", edits) }
        writer.member("text", text)
    }
}

/// Changes the text of a note and what it suggests, or what has become of it.
package struct ChangeNote: WireMessage {
    package static var type: StaticString { "change_note" }

    /// The name of the document.
    package var document: WireString
    /// The number of the note.
    package var note: Int
    /// The version of the note that the client has seen.
    package var version: Int
    /// The revision that `range` and `edits` count in; required with them.
    package var revision: Revision?
    /// The words that the note is about now; without it, the range of `edits`.
    package var range: WireRange?
    /// The change that the note suggests now; without it and without `range`, the suggestion stays.
    package var edits: [WireEdit]?
    /// What the note says now; no CR.
    package var text: WireString?
    /// What becomes of the note; only its author may change it in another way.
    package var state: NoteState?

    package init(
        document: WireString, note: Int, version: Int, revision: Revision? = nil, range: WireRange? = nil,
        edits: [WireEdit]? = nil, text: WireString? = nil, state: NoteState? = nil
    ) {
        self.document = document
        self.note = note
        self.version = version
        self.revision = revision
        self.range = range
        self.edits = edits
        self.text = text
        self.state = state
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        note = try fields.integer("note")
        version = try fields.integer("version")
        revision = try fields.revision(optional: "rev")
        range = try fields.range(optional: "range")
        edits = try fields.edits(optional: "edits", atMost: Limits.noteEdits)
        text = try fields.string(optional: "text", atMost: Limits.noteText, orElse: .tooLarge)
        state = try fields.word(optional: "state")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("note", note)
        writer.member("version", version)
        writer.member("rev", revision)
        writer.member("range", range)
        if let edits { writer.member("edits", edits) }
        writer.member("text", text)
        writer.member("state", state)
    }
}

/// Removes a note, and its answers.
package struct RemoveNote: WireMessage {
    package static var type: StaticString { "remove_note" }

    /// The name of the document.
    package var document: WireString
    /// The number of the note.
    package var note: Int
    /// The version of the note that the client has seen.
    package var version: Int

    package init(document: WireString, note: Int, version: Int) {
        self.document = document
        self.note = note
        self.version = version
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        note = try fields.integer("note")
        version = try fields.integer("version")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("note", note)
        writer.member("version", version)
    }
}

/// Requests a page of the notes of a document.
package struct ListNotes: WireMessage {
    package static var type: StaticString { "list_notes" }

    /// The name of the document.
    package var document: WireString
    /// Only notes that were written or changed after this count (rule N7).
    package var since: Int
    /// Only notes with a higher number.
    package var after: Int
    /// How many at most; the default is 100.
    package var limit: Int

    package init(document: WireString, since: Int = 0, after: Int = 0, limit: Int = Limits.itemsByDefault) {
        self.document = document
        self.since = since
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        since = try fields.integer(optional: "since") ?? 0
        after = try fields.integer(optional: "after") ?? 0
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("since", since)
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// Creates a link to a document: a token for everybody who gets the link.
package struct AddLink: WireMessage {
    package static var type: StaticString { "add_link" }

    /// The name of the document.
    package var document: WireString
    /// What the link allows.
    package var rights: LinkRights
    /// How long the link is valid: at least 1, at most 2,592,000, which are 30 days.
    package var seconds: Int

    package init(document: WireString, rights: LinkRights, seconds: Int) {
        self.document = document
        self.rights = rights
        self.seconds = seconds
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        rights = try fields.word("rights")
        seconds = try fields.integer("seconds")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rights", rights)
        writer.member("seconds", seconds)
    }
}

/// Requests a page of the links to a document.
package struct ListLinks: WireMessage {
    package static var type: StaticString { "list_links" }

    /// The name of the document.
    package var document: WireString
    /// Only links with a higher number.
    package var after: Int?
    /// How many at most; the default is 100.
    package var limit: Int

    package init(document: WireString, after: Int? = nil, limit: Int = Limits.itemsByDefault) {
        self.document = document
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        after = try fields.integer(optional: "after")
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// Ends a link, and the connections of those who use it.
package struct EndLink: WireMessage {
    package static var type: StaticString { "end_link" }

    /// The name of the document.
    package var document: WireString
    /// The number of the link.
    package var number: Int

    package init(document: WireString, number: Int) {
        self.document = document
        self.number = number
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        number = try fields.integer("number")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("number", number)
    }
}

/// Requests a page of the tokens.
package struct ListTokens: WireMessage {
    package static var type: StaticString { "list_tokens" }

    /// Only tokens with a higher number.
    package var after: Int?
    /// How many at most; the default is 100.
    package var limit: Int

    package init(after: Int? = nil, limit: Int = Limits.itemsByDefault) {
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        after = try fields.integer(optional: "after")
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// Creates a token for a user.
package struct AddToken: WireMessage {
    package static var type: StaticString { "add_token" }

    /// The name of the user: any name that a document could have.
    package var user: WireString
    /// What the token allows; the highest right that fits counts.
    package var grants: [WireGrant]
    /// When the token ends; without it, the token has no end.
    package var expires: Int?

    package init(user: WireString, grants: [WireGrant], expires: Int? = nil) {
        self.user = user
        self.grants = grants
        self.expires = expires
    }

    init(_ fields: Fields) throws(FieldFault) {
        user = try fields.string("user", atMost: Limits.name, orElse: .badName)
        grants = try fields.parts("grants", atMost: Limits.grants, orElse: .tooLarge)
        expires = try fields.integer(optional: "expires")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("grants", grants)
        writer.member("expires", expires)
    }
}

/// Revokes a token.
package struct RevokeToken: WireMessage {
    package static var type: StaticString { "revoke_token" }

    /// The number of the token.
    package var number: Int

    package init(number: Int) {
        self.number = number
    }

    init(_ fields: Fields) throws(FieldFault) {
        number = try fields.integer("number")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
    }
}

/// Makes the signed tokens of a user, or the one with an id, invalid.
package struct SignOutRequest: WireMessage {
    package static var type: StaticString { "sign_out" }

    /// The name of the user.
    package var user: WireString?
    /// The id of a token, instead of `user`.
    package var jti: WireString?
    /// Tokens that were issued before this time, in milliseconds, become invalid; without it, all that were
    /// issued so far.
    package var before: Int?

    package init(user: WireString? = nil, jti: WireString? = nil, before: Int? = nil) {
        self.user = user
        self.jti = jti
        self.before = before
    }

    init(_ fields: Fields) throws(FieldFault) {
        user = try fields.string(optional: "user", atMost: Limits.name)
        jti = try fields.string(optional: "jti", atMost: Limits.tokenID)
        before = try fields.integer(optional: "before")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("jti", jti)
        writer.member("before", before)
    }
}

/// Requests all counters of the server.
package struct ReadCounters: WireMessage {
    package static var type: StaticString { "counters" }

    package init() {}

    init(_ fields: Fields) throws(FieldFault) {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// Requests a page of the current connections.
package struct Who: WireMessage {
    package static var type: StaticString { "who" }

    /// Only connections with a higher number.
    package var after: Int?
    /// How many at most; the default is 100.
    package var limit: Int

    package init(after: Int? = nil, limit: Int = Limits.itemsByDefault) {
        self.after = after
        self.limit = limit
    }

    init(_ fields: Fields) throws(FieldFault) {
        after = try fields.integer(optional: "after")
        limit = try fields.pageLimit()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("after", after)
        writer.memberOfPageLimit(limit)
    }
}

/// Requests the list of the servers that use the store.
package struct ListNodes: WireMessage {
    package static var type: StaticString { "list_nodes" }

    package init() {}

    init(_ fields: Fields) throws(FieldFault) {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// Deletes the history of a document before a revision. A dry run only reports what would be deleted.
package struct Trim: WireMessage {
    package static var type: StaticString { "trim" }

    /// The name of the document.
    package var document: WireString
    /// The oldest revision whose text stays readable.
    package var revision: Revision
    /// Only report what would be deleted.
    package var isDryRun: Bool

    package init(document: WireString, revision: Revision, isDryRun: Bool = false) {
        self.document = document
        self.revision = revision
        self.isDryRun = isDryRun
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        revision = try fields.revision("rev")
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}

/// Removes a passage from every revision of a document, forever. A dry run only reports what would change.
package struct Redact: WireMessage {
    package static var type: StaticString { "redact" }

    /// The name of the document.
    package var document: WireString
    /// The text to remove, compared byte by byte; it has more than line breaks.
    package var passage: WireString
    /// Only report what would change.
    package var isDryRun: Bool

    package init(document: WireString, passage: WireString, isDryRun: Bool = false) {
        self.document = document
        self.passage = passage
        self.isDryRun = isDryRun
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document("doc")
        passage = try fields.string("passage", atMost: Limits.passage)
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("passage", passage)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}

/// Reads and checks the whole store, or everything stored for one document.
package struct Verify: WireMessage {
    package static var type: StaticString { "verify" }

    /// Only this document.
    package var document: WireString?

    package init(document: WireString? = nil) {
        self.document = document
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.document(optional: "doc")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
    }
}

/// Copies the store into a backup file.
package struct BackUp: WireMessage {
    package static var type: StaticString { "backup" }

    package init() {}

    init(_ fields: Fields) throws(FieldFault) {}

    package func writeMembers(to writer: inout JSONWriter) {}
}
