// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

package import CaretCore

/// A message from the server to a client.
package enum ServerMessage: Equatable, Sendable {
    case welcome(Welcome)
    case authenticated(Authenticated)
    case ping(Ping)
    case pong(Pong)
    case bye(Bye)
    case error(ErrorReport)
    case opened(Opened)
    case closed(Closed)
    case ack(Ack)
    case change(WireChange)
    case resync(Resync)
    case rights(RightsChange)
    case check(Check)
    case gone(Gone)
    case peer(PeerChange)
    case listed(Listed)
    case document(DocumentSummary)
    case done(Done)
    case text(WireText)
    case revisions(Revisions)
    case blamed(Blamed)
    case deleted(DeletedDocuments)
    case tags(TagList)
    case notes(NoteReply)
    case noted(Noted)
    case admin(AdminAnswer)

    /// Decodes the message of this type; nil if the type is unknown. The most frequent types come first.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(WireChange.type) {
            self = .change(try WireChange(fields))
        } else if type.equals(PeerChange.type) {
            self = .peer(try PeerChange(fields))
        } else if type.equals(Ping.type) {
            self = .ping(try Ping(fields))
        } else if type.equals(Ack.type) {
            self = .ack(try Ack(fields))
        } else if type.equals(Pong.type) {
            self = .pong(try Pong(fields))
        } else if type.equals(Check.type) {
            self = .check(try Check(fields))
        } else if type.equals(Opened.type) {
            self = .opened(try Opened(fields))
        } else if type.equals(Welcome.type) {
            self = .welcome(try Welcome(fields))
        } else if type.equals(Authenticated.type) {
            self = .authenticated(try Authenticated(fields))
        } else if type.equals(Bye.type) {
            self = .bye(try Bye(fields))
        } else if type.equals(ErrorReport.type) {
            self = .error(try ErrorReport(fields))
        } else if type.equals(Closed.type) {
            self = .closed(try Closed(fields))
        } else if type.equals(Resync.type) {
            self = .resync(try Resync(fields))
        } else if type.equals(RightsChange.type) {
            self = .rights(try RightsChange(fields))
        } else if type.equals(Gone.type) {
            self = .gone(try Gone(fields))
        } else if type.equals(Listed.type) {
            self = .listed(try Listed(fields))
        } else if type.equals(DocumentSummary.type) {
            self = .document(try DocumentSummary(fields))
        } else if type.equals(Done.type) {
            self = .done(try Done(fields))
        } else if type.equals(WireText.type) {
            self = .text(try WireText(fields))
        } else if type.equals(Revisions.type) {
            self = .revisions(try Revisions(fields))
        } else {
            try self.init(type20: type, fields)
        }
    }

    private init?(type20 type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(Blamed.type) {
            self = .blamed(try Blamed(fields))
        } else if type.equals(DeletedDocuments.type) {
            self = .deleted(try DeletedDocuments(fields))
        } else if type.equals(TagList.type) {
            self = .tags(try TagList(fields))
        } else if let message = try NoteReply(type: type, fields) {
            self = .notes(message)
        } else if type.equals(Noted.type) {
            self = .noted(try Noted(fields))
        } else if let message = try AdminAnswer(type: type, fields) {
            self = .admin(message)
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    package func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .welcome(let message): message.encode(id: id, into: &writer)
        case .authenticated(let message): message.encode(id: id, into: &writer)
        case .ping(let message): message.encode(id: id, into: &writer)
        case .pong(let message): message.encode(id: id, into: &writer)
        case .bye(let message): message.encode(id: id, into: &writer)
        case .error(let message): message.encode(id: id, into: &writer)
        case .opened(let message): message.encode(id: id, into: &writer)
        case .closed(let message): message.encode(id: id, into: &writer)
        case .ack(let message): message.encode(id: id, into: &writer)
        case .change(let message): message.encode(id: id, into: &writer)
        case .resync(let message): message.encode(id: id, into: &writer)
        case .rights(let message): message.encode(id: id, into: &writer)
        case .check(let message): message.encode(id: id, into: &writer)
        case .gone(let message): message.encode(id: id, into: &writer)
        case .peer(let message): message.encode(id: id, into: &writer)
        case .listed(let message): message.encode(id: id, into: &writer)
        case .document(let message): message.encode(id: id, into: &writer)
        case .done(let message): message.encode(id: id, into: &writer)
        case .text(let message): message.encode(id: id, into: &writer)
        case .revisions(let message): message.encode(id: id, into: &writer)
        case .blamed(let message): message.encode(id: id, into: &writer)
        case .deleted(let message): message.encode(id: id, into: &writer)
        case .tags(let message): message.encode(id: id, into: &writer)
        case .notes(let message): message.encode(id: id, into: &writer)
        case .noted(let message): message.encode(id: id, into: &writer)
        case .admin(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// An answer to a request about notes, other than `done`.
package enum NoteReply: Equatable, Sendable {
    case written(NoteWritten)
    case list(NoteList)

    /// Decodes the message of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(NoteWritten.type) {
            self = .written(try NoteWritten(fields))
        } else if type.equals(NoteList.type) {
            self = .list(try NoteList(fields))
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .written(let message): message.encode(id: id, into: &writer)
        case .list(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// An answer to an administrator, other than `done`.
package enum AdminAnswer: Equatable, Sendable {
    case tokens(Tokens)
    case tokenAdded(TokenAdded)
    case counted(CounterValues)
    case present(ConnectionPage)
    case nodes(ServerList)
    case trimmed(Trimmed)
    case redacted(Redacted)
    case progress(MaintenanceProgress)
    case verified(Verified)
    case backedUp(BackedUp)

    /// Decodes the message of this type; nil if the type is unknown.
    init?(type: JSONString, _ fields: Fields) throws(FieldFault) {
        if type.equals(Tokens.type) {
            self = .tokens(try Tokens(fields))
        } else if type.equals(TokenAdded.type) {
            self = .tokenAdded(try TokenAdded(fields))
        } else if type.equals(CounterValues.type) {
            self = .counted(try CounterValues(fields))
        } else if type.equals(ConnectionPage.type) {
            self = .present(try ConnectionPage(fields))
        } else if type.equals(ServerList.type) {
            self = .nodes(try ServerList(fields))
        } else if type.equals(Trimmed.type) {
            self = .trimmed(try Trimmed(fields))
        } else if type.equals(Redacted.type) {
            self = .redacted(try Redacted(fields))
        } else if type.equals(MaintenanceProgress.type) {
            self = .progress(try MaintenanceProgress(fields))
        } else if type.equals(Verified.type) {
            self = .verified(try Verified(fields))
        } else if type.equals(BackedUp.type) {
            self = .backedUp(try BackedUp(fields))
        } else {
            return nil
        }
    }

    /// Appends the message as one line.
    func encode(id: RequestID? = nil, into writer: inout JSONWriter) {
        // Does not use `any WireMessage`, because boxing a message would allocate memory.
        switch self {
        case .tokens(let message): message.encode(id: id, into: &writer)
        case .tokenAdded(let message): message.encode(id: id, into: &writer)
        case .counted(let message): message.encode(id: id, into: &writer)
        case .present(let message): message.encode(id: id, into: &writer)
        case .nodes(let message): message.encode(id: id, into: &writer)
        case .trimmed(let message): message.encode(id: id, into: &writer)
        case .redacted(let message): message.encode(id: id, into: &writer)
        case .progress(let message): message.encode(id: id, into: &writer)
        case .verified(let message): message.encode(id: id, into: &writer)
        case .backedUp(let message): message.encode(id: id, into: &writer)
        }
    }
}

/// The answer to `hello`: what client and server have agreed on.
package struct Welcome: WireMessage {
    package static var type: StaticString { "welcome" }

    /// The unit of all offsets on this connection.
    package var unit: CodeUnit
    /// The program and its version.
    package var server: WireString
    /// Who the token belongs to; `anonymous` on a server without tokens.
    package var user: WireString
    /// The public id of the client: others see this one.
    package var client: WireString?
    /// What the server can do beyond the basics: `follow`, `squash`, `exact`, `blame`, `notes`, `links`.
    package var features: [WireString]
    /// The limits below; a missing limit has its default.
    package var limits: Limits.Announced
    /// Seconds of silence before the server sends `ping`.
    package var ping: Int
    /// The address of the server's page for browsers; missing: the server has none.
    package var page: WireString?
    /// The name of the store: every epoch begins with it.
    package var store: WireString?
    /// The name of the server, if several servers use its store.
    package var node: WireString?
    /// The most that the user may do with any document; missing: `write`.
    package var rights: Rights?
    /// What the user may write, sorted; missing: everything, nothing, or more than 100 names and prefixes.
    package var grants: [WireGrant]
    /// When the token ends; missing: it has no end.
    package var expires: Int?
    /// The milliseconds until then, by the clock of the server.
    package var expiresInMilliseconds: Int?
    /// The name and color that others see, if they come from the token (rule H13).
    package var info: WireInfo?

    package init(
        unit: CodeUnit, server: WireString, user: WireString, client: WireString? = nil,
        features: [WireString] = [], limits: Limits.Announced = Limits.Announced(), ping: Int,
        page: WireString? = nil, store: WireString? = nil, node: WireString? = nil, rights: Rights? = nil,
        grants: [WireGrant] = [], expires: Int? = nil, expiresInMilliseconds: Int? = nil,
        info: WireInfo? = nil
    ) {
        self.unit = unit
        self.server = server
        self.user = user
        self.client = client
        self.features = features
        self.limits = limits
        self.ping = ping
        self.page = page
        self.store = store
        self.node = node
        self.rights = rights
        self.grants = grants
        self.expires = expires
        self.expiresInMilliseconds = expiresInMilliseconds
        self.info = info
    }

    init(_ fields: Fields) throws(FieldFault) {
        try fields.checkVersion("protocol")
        unit = try fields.word("unit")
        server = try fields.string("server")
        user = try fields.string("user")
        client = try fields.string(optional: "client")
        features = try fields.strings(optional: "features") ?? []
        limits = try fields.part("limits")
        ping = try fields.integer("ping")
        page = try fields.string(optional: "page")
        store = try fields.string(optional: "store")
        node = try fields.string(optional: "node")
        rights = try fields.word(optional: "rights")
        grants = try fields.parts(optional: "grants") ?? []
        expires = try fields.integer(optional: "expires")
        expiresInMilliseconds = try fields.integer(optional: "expires_in_ms")
        info = try fields.info()
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("protocol", Limits.protocolVersion)
        writer.member("unit", unit)
        writer.member("server", server)
        writer.member("user", user)
        writer.member("client", client)
        writer.member("features", features)
        writer.member("limits", limits)
        writer.member("ping", ping)
        writer.member("page", page)
        writer.member("store", store)
        writer.member("node", node)
        writer.member("rights", rights)
        if !grants.isEmpty { writer.member("grants", grants) }
        writer.member("expires", expires)
        writer.member("expires_in_ms", expiresInMilliseconds)
        writer.member("info", info)
    }
}

/// The answer to `authenticate`: the token counts from now on. Fields that `welcome` has too mean the same.
package struct Authenticated: WireMessage {
    package static var type: StaticString { "authenticated" }

    /// Who the token belongs to.
    package var user: WireString
    /// The rights differ from those before: a client that follows documents sends `follow` again.
    package var changed: Bool
    /// The most that the user may do with any document; missing: `write`.
    package var rights: Rights?
    /// What the user may write, sorted; missing: everything, nothing, or more than 100 names and prefixes.
    package var grants: [WireGrant]
    /// When the token ends; missing: it has no end.
    package var expires: Int?
    /// The milliseconds until then, by the clock of the server.
    package var expiresInMilliseconds: Int?

    package init(
        user: WireString, changed: Bool = false, rights: Rights? = nil, grants: [WireGrant] = [],
        expires: Int? = nil, expiresInMilliseconds: Int? = nil
    ) {
        self.user = user
        self.changed = changed
        self.rights = rights
        self.grants = grants
        self.expires = expires
        self.expiresInMilliseconds = expiresInMilliseconds
    }

    init(_ fields: Fields) throws(FieldFault) {
        user = try fields.string("user")
        changed = try fields.flag("changed")
        rights = try fields.word(optional: "rights")
        grants = try fields.parts(optional: "grants") ?? []
        expires = try fields.integer(optional: "expires")
        expiresInMilliseconds = try fields.integer(optional: "expires_in_ms")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("changed", ifTrue: changed)
        writer.member("rights", rights)
        if !grants.isEmpty { writer.member("grants", grants) }
        writer.member("expires", expires)
        writer.member("expires_in_ms", expiresInMilliseconds)
    }
}

/// Announces that the server will close the connection.
package struct Bye: WireMessage {
    package static var type: StaticString { "bye" }

    /// `shutting_down`, `idle`, `too_slow`, `replaced`, `revoked` or `token_ended`.
    package var reason: OpenWord<ByeReason>
    /// When to connect again, in milliseconds.
    package var retryAfterMilliseconds: Int?

    package init(reason: ByeReason, retryAfterMilliseconds: Int? = nil) {
        self.reason = .known(reason)
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    init(_ fields: Fields) throws(FieldFault) {
        reason = try fields.openWord("reason")
        retryAfterMilliseconds = try fields.integer(optional: "retry_after_ms")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("reason", reason)
        writer.member("retry_after_ms", retryAfterMilliseconds)
    }
}

/// Reports that the server refused a client's message.
package struct ErrorReport: WireMessage {
    package static var type: StaticString { "error" }

    /// The document of the refused message.
    package var document: WireString?
    /// The `seq` of the refused push.
    package var seq: PushNumber?
    /// What is wrong, for a program.
    package var code: OpenWord<ErrorCode>
    /// What is wrong, where, and both numbers, for a person.
    package var message: WireString
    /// The epoch of the document, when a base cannot be used.
    package var epoch: WireString?
    /// The head of the document, when a base cannot be used.
    package var revision: Revision?
    /// `trimmed`: the history there was trimmed; `work`: the rebase would take too long (rule P5); `forgotten`:
    /// the push may have been forgotten (rule P11).
    package var cause: OpenWord<TrimmedCause>?
    /// When to try again, in milliseconds.
    package var retryAfterMilliseconds: Int?

    package init(
        document: WireString? = nil, seq: PushNumber? = nil, code: ErrorCode, message: WireString,
        epoch: WireString? = nil, revision: Revision? = nil, cause: TrimmedCause? = nil,
        retryAfterMilliseconds: Int? = nil
    ) {
        self.document = document
        self.seq = seq
        self.code = .known(code)
        self.message = message
        self.epoch = epoch
        self.revision = revision
        self.cause = cause.map { .known($0) }
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string(optional: "doc")
        seq = try fields.seq(optional: "seq")
        code = try fields.openWord("code")
        message = try fields.string("message")
        epoch = try fields.string(optional: "epoch")
        revision = try fields.revision(optional: "rev")
        cause = try fields.openWord(optional: "cause")
        retryAfterMilliseconds = try fields.integer(optional: "retry_after_ms")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("seq", seq)
        writer.member("code", code)
        writer.member("message", message)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        writer.member("cause", cause)
        writer.member("retry_after_ms", retryAfterMilliseconds)
    }
}

/// The answer to `open`.
package struct Opened: WireMessage {
    package static var type: StaticString { "opened" }

    /// The name of the document.
    package var document: WireString
    /// Its epoch.
    package var epoch: WireString
    /// The revision of the text, or the one from which changes follow.
    package var revision: Revision
    package var content: Opened.Content
    /// What this client may do with the document.
    package var rights: Rights
    /// The line breaks to use in a file (rule T5).
    package var newline: Newline
    /// The other sessions that have selected something (rule S1).
    package var peers: [Peer]
    /// The receiver's own highest committed push to this document.
    package var own: OwnPush?

    package init(
        document: WireString, epoch: WireString, revision: Revision, content: Opened.Content, rights: Rights,
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
        content = try Opened.Content(fields)
        rights = try fields.word("rights")
        newline = try fields.word("newline")
        peers = try fields.parts(optional: "peers") ?? []
        own = try fields.part(optional: "own")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        content.writeMembers(to: &writer)
        writer.member("rights", rights)
        writer.member("newline", newline)
        writer.member("peers", peers)
        writer.member("own", own)
    }
}

/// The answer to `close`. The server first sends the acks of earlier pushes.
package struct Closed: WireMessage {
    package static var type: StaticString { "closed" }

    /// The name of the document.
    package var document: WireString

    package init(document: WireString) {
        self.document = document
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
    }
}

/// Reports that a push is synced to disk, or that it changed nothing.
package struct Ack: WireMessage {
    package static var type: StaticString { "ack" }

    /// The name of the document.
    package var document: WireString
    /// The `seq` of the push.
    package var seq: PushNumber
    /// The document's epoch, if the push named none, and in an ack with `unchanged`.
    package var epoch: WireString?
    /// The revision that the push became.
    package var revision: Revision
    /// The edits as committed, if they differ from the ones sent (rule P7).
    package var edits: [WireEdit]?
    /// The whole text at `rev`, if `want` asked for it.
    package var text: WireString?
    /// The push changed nothing, and made no revision (rule P6).
    package var unchanged: Bool
    /// The push had been committed before (rule P8).
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
        seq = try fields.seq("seq")
        epoch = try fields.string(optional: "epoch")
        revision = try fields.revision("rev")
        edits = try fields.edits(optional: "edits")
        text = try fields.string(optional: "text")
        unchanged = try fields.flag("unchanged")
        duplicate = try fields.flag("duplicate")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("seq", seq)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        if let edits { writer.member("edits", edits) }
        writer.member("text", text)
        writer.member("unchanged", ifTrue: unchanged)
        writer.member("duplicate", ifTrue: duplicate)
    }
}

/// The whole text of a document. The server sends this message if it cannot send the changes.
package struct Resync: WireMessage {
    package static var type: StaticString { "resync" }

    /// The name of the document.
    package var document: WireString
    /// Its epoch, which may be a new one.
    package var epoch: WireString
    /// The revision of the text.
    package var revision: Revision
    /// The whole text.
    package var text: WireString
    /// `too_slow`, `epoch` or `trimmed` (rule C5).
    package var reason: OpenWord<ResyncReason>
    /// The receiver's own highest committed push, as in `opened`.
    package var own: OwnPush?

    package init(
        document: WireString, epoch: WireString, revision: Revision, text: WireString, reason: ResyncReason,
        own: OwnPush? = nil
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
        own = try fields.part(optional: "own")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        writer.member("text", text)
        writer.member("reason", reason)
        writer.member("own", own)
    }
}

/// Reports that the receiver's rights on a document have changed.
package struct RightsChange: WireMessage {
    package static var type: StaticString { "rights" }

    /// The name of the document.
    package var document: WireString
    /// The new rights; `none` ends the session.
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

/// The length and checksum of the text at a revision.
package struct Check: WireMessage {
    package static var type: StaticString { "check" }

    /// The name of the document.
    package var document: WireString
    /// The revision, which is the one the receiver has just reached.
    package var revision: Revision
    /// The length of the text in the agreed unit.
    package var length: Int
    /// CRC-32 of the text as UTF-8, in eight lowercase hexadecimal digits.
    package var crc32: UInt32

    package init(document: WireString, revision: Revision, length: Int, crc32: UInt32) {
        self.document = document
        self.revision = revision
        self.length = length
        self.crc32 = crc32
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        revision = try fields.revision("rev")
        length = try fields.integer("length")
        crc32 = try fields.crc32("crc32")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("rev", revision)
        writer.member("length", length)
        writer.member("crc32", crc32: crc32)
    }
}

/// Reports that a document no longer exists under this name. The server sends it to each session that has
/// the document open, and to each follower.
package struct Gone: WireMessage {
    package static var type: StaticString { "gone" }

    /// The name that is gone.
    package var document: WireString
    /// The epoch of that document, because another document may have the name by now.
    package var epoch: WireString?
    /// `deleted`, `renamed` or `damaged`.
    package var reason: OpenWord<GoneReason>
    /// The new name, only for users who may read it.
    package var to: WireString?
    /// The message is for a follower, and ends no session (rule D8).
    package var isFollowed: Bool

    package init(
        document: WireString, epoch: WireString? = nil, reason: GoneReason, to: WireString? = nil,
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

/// Reports that another session of an open document has changed its selections, or has ended.
package struct PeerChange: WireMessage {
    package static var type: StaticString { "peer" }

    /// The name of the document.
    package var document: WireString
    /// The id of the session.
    package var session: WireString
    package var news: PeerChange.News

    package init(document: WireString, session: WireString, news: PeerChange.News) {
        self.document = document
        self.session = session
        self.news = news
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        session = try fields.string("session")
        news = try PeerChange.News(fields)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("session", session)
        news.writeMembers(to: &writer)
    }
}

/// The answer to `list`.
package struct Listed: WireMessage {
    package static var type: StaticString { "listed" }

    /// The documents, sorted by the bytes of their names.
    package var documents: [DocumentSummary]
    /// There are more after the last one.
    package var hasMore: Bool

    package init(documents: [DocumentSummary], hasMore: Bool = false) {
        self.documents = documents
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        documents = try fields.parts("docs")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("docs", documents)
        writer.member("more", ifTrue: hasMore)
    }
}

/// A document as reported to clients that list or follow documents.
package struct DocumentSummary: WireMessage, WirePart {
    package static var type: StaticString { "document" }

    /// The name.
    package var document: WireString
    /// The epoch.
    package var epoch: WireString
    /// The head.
    package var revision: Revision
    /// The length of the text in the agreed unit.
    package var length: Int
    /// When it was created or last changed.
    package var updated: Int

    package init(document: WireString, epoch: WireString, revision: Revision, length: Int, updated: Int) {
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
        writer.member("rev", revision)
        writer.member("length", length)
        writer.member("updated", updated)
    }
}

/// The answer to a request that returns nothing.
package struct Done: WireMessage {
    package static var type: StaticString { "done" }

    package init() {}

    init(_ fields: Fields) throws(FieldFault) {}

    package func writeMembers(to writer: inout JSONWriter) {}
}

/// The answer to `read`.
package struct WireText: WireMessage {
    package static var type: StaticString { "text" }

    /// The name of the document.
    package var document: WireString
    /// Its epoch.
    package var epoch: WireString
    /// The revision of the text.
    package var revision: Revision
    /// The text, or the requested part of it.
    package var text: WireString
    /// The line breaks to use in a file (rule T5).
    package var newline: Newline
    /// Where the part begins, if a part was requested.
    package var start: Int?
    /// The length of the whole text, if a part was requested.
    package var length: Int?

    package init(
        document: WireString, epoch: WireString, revision: Revision, text: WireString, newline: Newline,
        start: Int? = nil, length: Int? = nil
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.text = text
        self.newline = newline
        self.start = start
        self.length = length
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        text = try fields.string("text")
        newline = try fields.word("newline")
        start = try fields.integer(optional: "start")
        length = try fields.integer(optional: "length")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        writer.member("text", text)
        writer.member("newline", newline)
        writer.member("start", start)
        writer.member("length", length)
    }
}

/// The answer to `history`.
package struct Revisions: WireMessage {
    package static var type: StaticString { "revisions" }

    /// The name of the document.
    package var document: WireString
    /// The revisions.
    package var revisions: [RevisionSummary]
    /// There are more after the last one.
    package var hasMore: Bool

    package init(document: WireString, revisions: [RevisionSummary], hasMore: Bool = false) {
        self.document = document
        self.revisions = revisions
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        revisions = try fields.parts("revisions")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("revisions", revisions)
        writer.member("more", ifTrue: hasMore)
    }
}

/// The answer to `blame`.
package struct Blamed: WireMessage {
    package static var type: StaticString { "blamed" }

    /// The name of the document.
    package var document: WireString
    /// Its epoch.
    package var epoch: WireString
    /// The revision of the text.
    package var revision: Revision
    /// The ranges of lines, in order.
    package var ranges: [BlamedLines]
    /// There are more after the last one.
    package var hasMore: Bool

    package init(
        document: WireString, epoch: WireString, revision: Revision, ranges: [BlamedLines],
        hasMore: Bool = false
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.ranges = ranges
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        ranges = try fields.parts("ranges")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        writer.member("ranges", ranges)
        writer.member("more", ifTrue: hasMore)
    }
}

/// The answer to `list_deleted`.
package struct DeletedDocuments: WireMessage {
    package static var type: StaticString { "deleted" }

    /// The deleted documents.
    package var documents: [DeletedDocument]
    /// There are more after the last one.
    package var hasMore: Bool

    package init(_ documents: [DeletedDocument], hasMore: Bool = false) {
        self.documents = documents
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        documents = try fields.parts("docs")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("docs", documents)
        writer.member("more", ifTrue: hasMore)
    }
}

/// The answer to `list_tags`.
package struct TagList: WireMessage {
    package static var type: StaticString { "tags" }

    /// The name of the document.
    package var document: WireString
    /// The named revisions, sorted by revision and name.
    package var tags: [TagList.Item]

    package init(document: WireString, tags: [TagList.Item]) {
        self.document = document
        self.tags = tags
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        tags = try fields.parts("tags")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("tags", tags)
    }
}

/// The answer to a request that writes or changes a note. The note is synced to disk.
package struct NoteWritten: WireMessage {
    package static var type: StaticString { "note_written" }

    /// The name of the document.
    package var document: WireString
    /// The number of the note.
    package var note: Int
    /// Its version now.
    package var version: Int
    /// The revision that an accepted suggestion became.
    package var revision: Revision?

    package init(document: WireString, note: Int, version: Int, revision: Revision? = nil) {
        self.document = document
        self.note = note
        self.version = version
        self.revision = revision
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        note = try fields.integer("note")
        version = try fields.integer("version")
        revision = try fields.revision(optional: "rev")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("note", note)
        writer.member("version", version)
        writer.member("rev", revision)
    }
}

/// The answer to `list_notes`.
package struct NoteList: WireMessage {
    package static var type: StaticString { "notes" }

    /// The name of the document.
    package var document: WireString
    /// Its epoch.
    package var epoch: WireString
    /// The revision that `range` and `edits` of the notes count in.
    package var revision: Revision
    /// How often notes of the document have been written, changed or removed (rule N7).
    package var count: Int
    /// The client must forget the notes that it knows, because some were removed since, or it asked for all.
    package var whole: Bool
    /// What this client may do with notes (rule N4).
    package var rights: NoteRights
    /// The notes, sorted by number.
    package var notes: [NoteSummary]
    /// There are more after the last one.
    package var hasMore: Bool

    package init(
        document: WireString, epoch: WireString, revision: Revision, count: Int, whole: Bool = false,
        rights: NoteRights, notes: [NoteSummary], hasMore: Bool = false
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.count = count
        self.whole = whole
        self.rights = rights
        self.notes = notes
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        count = try fields.integer("count")
        whole = try fields.flag("whole")
        rights = try fields.word("rights")
        notes = try fields.parts("notes")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        writer.member("count", count)
        writer.member("whole", ifTrue: whole)
        writer.member("rights", rights)
        writer.member("notes", notes)
        writer.member("more", ifTrue: hasMore)
    }
}

/// Reports that notes of an open document may have changed.
package struct Noted: WireMessage {
    package static var type: StaticString { "noted" }

    /// The name of the document.
    package var document: WireString

    package init(document: WireString) {
        self.document = document
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
    }
}

/// The answer to `list_tokens` and `list_links`.
package struct Tokens: WireMessage {
    package static var type: StaticString { "tokens" }

    /// The tokens.
    package var tokens: [TokenSummary]
    /// There are more after the last one.
    package var hasMore: Bool

    package init(_ tokens: [TokenSummary], hasMore: Bool = false) {
        self.tokens = tokens
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        tokens = try fields.parts("tokens")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("tokens", tokens)
        writer.member("more", ifTrue: hasMore)
    }
}

/// The answer to `add_token` and `add_link`. No other message contains the text of a token.
package struct TokenAdded: WireMessage {
    package static var type: StaticString { "token_added" }

    /// The number of the token, by which it can be revoked.
    package var number: Int
    /// The token, for `hello`.
    package var token: WireString

    package init(number: Int, token: WireString) {
        self.number = number
        self.token = token
    }

    init(_ fields: Fields) throws(FieldFault) {
        number = try fields.integer("number")
        token = try fields.string("token")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("token", token)
    }
}

/// The answer to `counters`.
package struct CounterValues: WireMessage {
    package static var type: StaticString { "counted" }

    /// When the server started, which is when counting began.
    package var since: Int
    /// The counters.
    package var counters: [CounterValues.Counter]
    /// The measured times, in nanoseconds.
    package var latencies: [CounterValues.Latency]

    package init(since: Int, counters: [CounterValues.Counter], latencies: [CounterValues.Latency]) {
        self.since = since
        self.counters = counters
        self.latencies = latencies
    }

    init(_ fields: Fields) throws(FieldFault) {
        since = try fields.integer("since")
        counters = try fields.parts("counters")
        latencies = try fields.parts("latencies")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("since", since)
        writer.member("counters", counters)
        writer.member("latencies", latencies)
    }
}

/// The answer to `who`.
package struct ConnectionPage: WireMessage {
    package static var type: StaticString { "present" }

    /// The connections that have been welcomed.
    package var connections: [ConnectionSummary]
    /// There are more after the last one.
    package var hasMore: Bool

    package init(_ connections: [ConnectionSummary], hasMore: Bool = false) {
        self.connections = connections
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        connections = try fields.parts("connections")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("connections", connections)
        writer.member("more", ifTrue: hasMore)
    }
}

/// The answer to `list_nodes`.
package struct ServerList: WireMessage {
    package static var type: StaticString { "nodes" }

    /// The servers that have not stopped.
    package var servers: [ServerSummary]

    package init(_ servers: [ServerSummary]) {
        self.servers = servers
    }

    init(_ fields: Fields) throws(FieldFault) {
        servers = try fields.parts("nodes")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("nodes", servers)
    }
}

/// The answer to `trim`.
package struct Trimmed: WireMessage {
    package static var type: StaticString { "trimmed" }

    /// The name of the document.
    package var document: WireString
    /// The oldest revision whose text is readable afterwards.
    package var start: Revision
    /// How many revisions were deleted.
    package var revisions: Int
    /// Nothing was deleted.
    package var isDryRun: Bool

    package init(document: WireString, start: Revision, revisions: Int, isDryRun: Bool = false) {
        self.document = document
        self.start = start
        self.revisions = revisions
        self.isDryRun = isDryRun
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        start = try fields.revision("start")
        revisions = try fields.integer("revisions")
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("start", start)
        writer.member("revisions", revisions)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}

/// The answer to `redact`.
package struct Redacted: WireMessage {
    package static var type: StaticString { "redacted" }

    /// The name of the document.
    package var document: WireString
    /// The epoch afterwards.
    package var epoch: WireString
    /// The head, which does not change.
    package var revision: Revision
    /// How many revisions contained the passage.
    package var containing: Int
    /// How many notes contained it; missing: none.
    package var notes: Int?
    /// How often the newest text contained it.
    package var inHead: Int
    /// How many revisions inserted a part of it, so that their inserted text changes.
    package var changed: Int
    /// Who wrote it, at most 100 users.
    package var authors: [Redacted.Author]
    /// Files in the folder `backups` that were made before, at most 100.
    package var backups: [WireString]
    /// There are more authors or backups.
    package var hasMore: Bool
    /// No unused part of the server's files contains the passage any more.
    package var isErased: Bool
    /// Nothing was changed.
    package var isDryRun: Bool

    package init(
        document: WireString, epoch: WireString, revision: Revision, containing: Int, notes: Int? = nil,
        inHead: Int, changed: Int, authors: [Redacted.Author], backups: [WireString], hasMore: Bool = false,
        isErased: Bool = false, isDryRun: Bool = false
    ) {
        self.document = document
        self.epoch = epoch
        self.revision = revision
        self.containing = containing
        self.notes = notes
        self.inHead = inHead
        self.changed = changed
        self.authors = authors
        self.backups = backups
        self.hasMore = hasMore
        self.isErased = isErased
        self.isDryRun = isDryRun
    }

    init(_ fields: Fields) throws(FieldFault) {
        document = try fields.string("doc")
        epoch = try fields.string("epoch")
        revision = try fields.revision("rev")
        containing = try fields.integer("containing")
        notes = try fields.integer(optional: "notes")
        inHead = try fields.integer("in_head")
        changed = try fields.integer("changed")
        authors = try fields.parts("authors")
        backups = try fields.strings("backups")
        hasMore = try fields.flag("more")
        isErased = try fields.flag("erased")
        isDryRun = try fields.flag("dry_run")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("doc", document)
        writer.member("epoch", epoch)
        writer.member("rev", revision)
        writer.member("containing", containing)
        writer.member("notes", notes)
        writer.member("in_head", inHead)
        writer.member("changed", changed)
        writer.member("authors", authors)
        writer.member("backups", backups)
        writer.member("more", ifTrue: hasMore)
        writer.member("erased", ifTrue: isErased)
        writer.member("dry_run", ifTrue: isDryRun)
    }
}

/// Progress of `verify` or `backup`, in documents or pages. The answer follows later.
package struct MaintenanceProgress: WireMessage {
    package static var type: StaticString { "progress" }

    /// Documents that are checked, or pages that are copied.
    package var done: Int
    /// How many there are in all.
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

    /// Documents that were checked.
    package var documents: Int
    /// Revisions that were checked.
    package var revisions: Int
    /// What is damaged, 1,000 entries at most; empty if nothing is damaged.
    package var findings: [Verified.Finding]
    /// There are more findings.
    package var hasMore: Bool

    package init(documents: Int, revisions: Int, findings: [Verified.Finding], hasMore: Bool = false) {
        self.documents = documents
        self.revisions = revisions
        self.findings = findings
        self.hasMore = hasMore
    }

    init(_ fields: Fields) throws(FieldFault) {
        documents = try fields.integer("documents")
        revisions = try fields.integer("revisions")
        findings = try fields.parts("findings")
        hasMore = try fields.flag("more")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("documents", documents)
        writer.member("revisions", revisions)
        writer.member("findings", findings)
        writer.member("more", ifTrue: hasMore)
    }
}

/// The answer to `backup`.
package struct BackedUp: WireMessage {
    package static var type: StaticString { "backed_up" }

    /// The name of the file, in the folder `backups` of the data folder.
    package var file: WireString
    /// Its size.
    package var bytes: Int
    /// How many documents it contains.
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
