// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

package import CaretCore

extension Limits {
    /// The limits that `welcome` announces, so that a client can respect them.
    package struct Announced: WirePart, Hashable, Sendable {
        /// Bytes of a client's line. The text of the largest document fits into such a line, even if an encoder
        /// escapes more characters than necessary.
        package var line: Int
        /// Bytes of a document as UTF-8. People write less than that, and hundreds of such documents fit in a
        /// server's memory.
        package var document: Int
        /// Edits of one push. If a push needs more edits, pushing the whole text is cheaper.
        package var edits: Int
        /// Documents that a connection can have open. Each open document costs a cursor and a session in a room.
        package var documents: Int
        /// Selections of one session. The room moves each selection with every change.
        package var selections: Int
        /// Pushes a second, with a burst of twice that; missing: no limit. On loopback without tokens, there is no
        /// limit.
        package var pushesPerSecond: Int?

        package init(
            line: Int = 26_214_400, document: Int = 4_194_304, edits: Int = 10_000, documents: Int = 256,
            selections: Int = 1_000, pushesPerSecond: Int? = nil
        ) {
            self.line = line
            self.document = document
            self.edits = edits
            self.documents = documents
            self.selections = selections
            self.pushesPerSecond = pushesPerSecond
        }

        init(_ fields: Fields) throws(FieldFault) {
            line = try fields.integer(optional: "line") ?? 26_214_400
            document = try fields.integer(optional: "document") ?? 4_194_304
            edits = try fields.integer(optional: "edits") ?? 10_000
            documents = try fields.integer(optional: "documents") ?? 256
            selections = try fields.integer(optional: "selections") ?? 1_000
            pushesPerSecond = try fields.integer(optional: "pushes_per_second")
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("line", line)
            writer.member("document", document)
            writer.member("edits", edits)
            writer.member("documents", documents)
            writer.member("selections", selections)
            writer.member("pushes_per_second", pushesPerSecond)
        }
    }
}

/// A right on one document, or on all documents whose names share a prefix.
package struct WireGrant: WirePart, Hashable, Sendable {
    /// The rights.
    package var rights: GrantedRights
    package var scope: WireGrant.Scope

    package init(_ rights: GrantedRights, to scope: WireGrant.Scope) {
        self.rights = rights
        self.scope = scope
    }

    init(_ fields: Fields) throws(FieldFault) {
        rights = try fields.word("rights")
        scope = try WireGrant.Scope(fields)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("rights", rights)
        scope.writeMembers(to: &writer)
    }
}

/// Another session of a document, as listed by `opened`.
package struct Peer: WirePart, Hashable, Sendable {
    /// The id of the session.
    package var session: WireString
    package var introduction: Introduction
    /// Its selections at `rev`.
    package var selections: [WireSelection]

    package init(session: WireString, introduction: Introduction, selections: [WireSelection]) {
        self.session = session
        self.introduction = introduction
        self.selections = selections
    }

    init(_ fields: Fields) throws(FieldFault) {
        session = try fields.string("session")
        introduction = try Introduction(fields)
        selections = try fields.selections("selections")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("session", session)
        introduction.writeMembers(to: &writer)
        writer.member("selections", selections)
    }
}

/// The receiver's highest committed push.
package struct OwnPush: WirePart, Hashable, Sendable {
    /// Its `seq`.
    package var seq: PushNumber
    /// Its revision.
    package var revision: Revision

    package init(seq: PushNumber, revision: Revision) {
        self.seq = seq
        self.revision = revision
    }

    init(_ fields: Fields) throws(FieldFault) {
        seq = try fields.seq("seq")
        revision = try fields.revision("rev")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("seq", seq)
        writer.member("rev", revision)
    }
}

/// A revision as listed by `revisions`. Lengths are in the agreed unit.
package struct RevisionSummary: WirePart, Hashable, Sendable {
    /// The revision.
    package var revision: Revision
    package var author: WireChange.Author
    /// How much text it inserted, in the agreed unit.
    package var inserted: Int
    /// How much text it deleted.
    package var deleted: Int
    /// Its edits, if `history` asked for them.
    package var edits: [WireEdit]?

    package init(
        revision: Revision, author: WireChange.Author, inserted: Int, deleted: Int, edits: [WireEdit]? = nil
    ) {
        self.revision = revision
        self.author = author
        self.inserted = inserted
        self.deleted = deleted
        self.edits = edits
    }

    init(_ fields: Fields) throws(FieldFault) {
        revision = try fields.revision("rev")
        author = try WireChange.Author(fields)
        inserted = try fields.integer("inserted")
        deleted = try fields.integer("deleted")
        edits = try fields.edits(optional: "edits")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("rev", revision)
        author.writeMembers(to: &writer)
        writer.member("inserted", inserted)
        writer.member("deleted", deleted)
        if let edits { writer.member("edits", edits) }
    }
}

/// Successive lines that the same revision changed last, as listed by `blamed`.
package struct BlamedLines: WirePart, Hashable, Sendable {
    /// The number of the first of these lines; the first line of a text is 1.
    package var line: Int
    /// How many lines they are.
    package var count: Int
    /// The revision that changed them last, or the oldest kept revision.
    package var revision: Revision
    package var author: WireChange.Author?

    package init(line: Int, count: Int, revision: Revision, author: WireChange.Author? = nil) {
        self.line = line
        self.count = count
        self.revision = revision
        self.author = author
    }

    init(_ fields: Fields) throws(FieldFault) {
        line = try fields.integer("line")
        count = try fields.integer("lines")
        revision = try fields.revision("rev")
        author = try WireChange.Author(optional: fields)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("line", line)
        writer.member("lines", count)
        writer.member("rev", revision)
        author?.writeMembers(to: &writer)
    }
}

extension TagList {
    /// A named revision.
    package struct Item: WirePart, Hashable, Sendable {
        /// The name.
        package var name: WireString
        /// The revision.
        package var revision: Revision
        /// Who named it.
        package var user: WireString
        /// When it was named.
        package var time: Int

        package init(name: WireString, revision: Revision, user: WireString, time: Int) {
            self.name = name
            self.revision = revision
            self.user = user
            self.time = time
        }

        init(_ fields: Fields) throws(FieldFault) {
            name = try fields.string("name")
            revision = try fields.revision("rev")
            user = try fields.string("user")
            time = try fields.integer("time")
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", name)
            writer.member("rev", revision)
            writer.member("user", user)
            writer.member("time", time)
        }
    }
}

/// A note as listed by `notes`.
package struct NoteSummary: WirePart, Hashable, Sendable {
    /// Its number in the document, which is never used again.
    package var note: Int
    /// Its version, which grows with each change of its text, its suggestion or its state.
    package var version: Int
    /// The note that it answers; missing: it begins a thread.
    package var parent: Int?
    /// Its words, in the text at `rev`; missing: it is about the whole document, answers another note, or is
    /// final.
    package var range: WireRange?
    /// The first 1,024 bytes of the words when it was written.
    package var quote: WireString
    /// What it says.
    package var text: WireString
    /// What it suggests, for the text at `rev`; missing: nothing, or it is final.
    package var edits: [WireEdit]?
    /// Who wrote it.
    package var user: WireString
    /// When it was written.
    package var time: Int
    /// When its text or its suggestion was changed last.
    package var edited: Int?
    /// Its state.
    package var state: NoteState
    /// The revision that it became, if it was accepted and changed something.
    package var accepted: Revision?

    package init(
        note: Int, version: Int, parent: Int? = nil, range: WireRange? = nil, quote: WireString,
        text: WireString, edits: [WireEdit]? = nil, user: WireString, time: Int, edited: Int? = nil,
        state: NoteState, accepted: Revision? = nil
    ) {
        self.note = note
        self.version = version
        self.parent = parent
        self.range = range
        self.quote = quote
        self.text = text
        self.edits = edits
        self.user = user
        self.time = time
        self.edited = edited
        self.state = state
        self.accepted = accepted
    }

    init(_ fields: Fields) throws(FieldFault) {
        note = try fields.integer("note")
        version = try fields.integer("version")
        parent = try fields.integer(optional: "parent")
        range = try fields.range(optional: "range")
        quote = try fields.string("quote")
        text = try fields.string("text")
        edits = try fields.edits(optional: "edits")
        user = try fields.string("user")
        time = try fields.integer("time")
        edited = try fields.integer(optional: "edited")
        state = try fields.word("state")
        accepted = try fields.revision(optional: "accepted")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("note", note)
        writer.member("version", version)
        writer.member("parent", parent)
        writer.member("range", range)
        writer.member("quote", quote)
        writer.member("text", text)
        if let edits { writer.member("edits", edits) }
        writer.member("user", user)
        writer.member("time", time)
        writer.member("edited", edited)
        writer.member("state", state)
        writer.member("accepted", accepted)
    }
}

/// A token as listed by `tokens`.
package struct TokenSummary: WirePart, Hashable, Sendable {
    /// The number of the token.
    package var number: Int
    package var state: TokenSummary.State

    package init(number: Int, _ state: TokenSummary.State) {
        self.number = number
        self.state = state
    }

    init(_ fields: Fields) throws(FieldFault) {
        number = try fields.integer("number")
        state = try TokenSummary.State(fields)
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
        state.writeMembers(to: &writer)
    }
}

extension CounterValues {
    /// A counter.
    package struct Counter: WirePart, Hashable, Sendable {
        /// The name of the counter.
        package var name: WireString
        /// Its value.
        package var value: Int

        package init(name: WireString, value: Int) {
            self.name = name
            self.value = value
        }

        init(_ fields: Fields) throws(FieldFault) {
            name = try fields.string("name")
            value = try fields.integer("value")
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", name)
            writer.member("value", value)
        }
    }
}

extension CounterValues {
    /// The durations of one kind of operation, in nanoseconds.
    package struct Latency: WirePart, Hashable, Sendable {
        /// The name of the measured step.
        package var name: WireString
        /// How often it was measured.
        package var count: Int
        /// The median, within 6.25 %.
        package var median: Int
        /// The 99th percentile, within 6.25 %.
        package var percentile99: Int
        /// The longest, exactly.
        package var largest: Int
        /// The sum of all.
        package var sum: Int?
        /// How many took less than some bounds.
        package var buckets: [CounterValues.Bucket]

        package init(
            name: WireString, count: Int, median: Int, percentile99: Int, largest: Int, sum: Int? = nil,
            buckets: [CounterValues.Bucket] = []
        ) {
            self.name = name
            self.count = count
            self.median = median
            self.percentile99 = percentile99
            self.largest = largest
            self.sum = sum
            self.buckets = buckets
        }

        init(_ fields: Fields) throws(FieldFault) {
            name = try fields.string("name")
            count = try fields.integer("count")
            median = try fields.integer("p50")
            percentile99 = try fields.integer("p99")
            largest = try fields.integer("max")
            sum = try fields.integer(optional: "sum")
            buckets = try fields.parts(optional: "buckets") ?? []
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("name", name)
            writer.member("count", count)
            writer.member("p50", median)
            writer.member("p99", percentile99)
            writer.member("max", largest)
            writer.member("sum", sum)
            if !buckets.isEmpty { writer.member("buckets", buckets) }
        }
    }
}

extension CounterValues {
    /// How many durations are shorter than a bound, including those below all smaller bounds.
    package struct Bucket: WirePart, Hashable, Sendable {
        /// The bound.
        package var bound: Int
        /// How many took less, including those below smaller bounds.
        package var count: Int

        package init(bound: Int, count: Int) {
            self.bound = bound
            self.count = count
        }

        init(_ fields: Fields) throws(FieldFault) {
            bound = try fields.integer("below")
            count = try fields.integer("count")
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("below", bound)
            writer.member("count", count)
        }
    }
}

/// A connection as listed by `present`.
package struct ConnectionSummary: WirePart, Hashable, Sendable {
    /// The number of the connection, as in the log.
    package var number: Int
    /// The user.
    package var user: WireString
    /// The public id of the client.
    package var client: WireString
    /// The address and port, or `unix` for the socket in the data folder.
    package var peer: WireString?
    /// When it was welcomed.
    package var since: Int
    /// The documents that it has open.
    package var documents: [WireString]
    /// The documents that the client reads so slowly that the server reads their changes from disk.
    package var behind: [WireString]

    package init(
        number: Int, user: WireString, client: WireString, peer: WireString? = nil, since: Int,
        documents: [WireString], behind: [WireString] = []
    ) {
        self.number = number
        self.user = user
        self.client = client
        self.peer = peer
        self.since = since
        self.documents = documents
        self.behind = behind
    }

    init(_ fields: Fields) throws(FieldFault) {
        number = try fields.integer("number")
        user = try fields.string("user")
        client = try fields.string("client")
        peer = try fields.string(optional: "peer")
        since = try fields.integer("since")
        documents = try fields.strings("docs")
        behind = try fields.strings(optional: "behind") ?? []
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("user", user)
        writer.member("client", client)
        writer.member("peer", peer)
        writer.member("since", since)
        writer.member("docs", documents)
        if !behind.isEmpty { writer.member("behind", behind) }
    }
}

/// A server as listed by `nodes`.
package struct ServerSummary: WirePart, Hashable, Sendable {
    /// The name of the server.
    package var name: WireString
    /// Where clients reach it; missing: it listens only on the socket in its data folder.
    package var address: WireString?
    /// The program and its version.
    package var version: WireString
    /// When it started.
    package var since: Int
    /// How many milliseconds ago it was last heard of.
    package var silent: Int
    /// How many clients are connected to it.
    package var connections: Int
    /// How many documents it has open.
    package var documents: Int
    /// It is the server that answers.
    package var isAnswering: Bool

    package init(
        name: WireString, address: WireString? = nil, version: WireString, since: Int, silent: Int,
        connections: Int, documents: Int, isAnswering: Bool = false
    ) {
        self.name = name
        self.address = address
        self.version = version
        self.since = since
        self.silent = silent
        self.connections = connections
        self.documents = documents
        self.isAnswering = isAnswering
    }

    init(_ fields: Fields) throws(FieldFault) {
        name = try fields.string("name")
        address = try fields.string(optional: "address")
        version = try fields.string("version")
        since = try fields.integer("since")
        silent = try fields.integer("silent_ms")
        connections = try fields.integer("connections")
        documents = try fields.integer("documents")
        isAnswering = try fields.flag("answering")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("address", address)
        writer.member("version", version)
        writer.member("since", since)
        writer.member("silent_ms", silent)
        writer.member("connections", connections)
        writer.member("documents", documents)
        writer.member("answering", ifTrue: isAnswering)
    }
}

/// A deleted document as listed by `deleted`.
package struct DeletedDocument: WirePart, Hashable, Sendable {
    /// The number of the document, for `undelete`.
    package var number: Int
    /// The name that it had.
    package var document: WireString
    /// The head.
    package var revision: Revision
    /// The length of the text in the agreed unit.
    package var length: Int
    /// When it was last changed.
    package var updated: Int
    /// When it was deleted.
    package var deleted: Int

    package init(
        number: Int, document: WireString, revision: Revision, length: Int, updated: Int, deleted: Int
    ) {
        self.number = number
        self.document = document
        self.revision = revision
        self.length = length
        self.updated = updated
        self.deleted = deleted
    }

    init(_ fields: Fields) throws(FieldFault) {
        number = try fields.integer("number")
        document = try fields.string("doc")
        revision = try fields.revision("rev")
        length = try fields.integer("length")
        updated = try fields.integer("updated")
        deleted = try fields.integer("deleted")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("number", number)
        writer.member("doc", document)
        writer.member("rev", revision)
        writer.member("length", length)
        writer.member("updated", updated)
        writer.member("deleted", deleted)
    }
}

extension Redacted {
    /// A user who wrote a part of the passage.
    package struct Author: WirePart, Hashable, Sendable {
        /// The user.
        package var user: WireString
        /// How many of the user's revisions change.
        package var revisions: Int
        /// The first of these revisions.
        package var first: Revision
        /// The last of these revisions.
        package var last: Revision
        /// When the first one was made.
        package var since: Int
        /// When the last one was made.
        package var until: Int

        package init(
            user: WireString, revisions: Int, first: Revision, last: Revision, since: Int, until: Int
        ) {
            self.user = user
            self.revisions = revisions
            self.first = first
            self.last = last
            self.since = since
            self.until = until
        }

        init(_ fields: Fields) throws(FieldFault) {
            user = try fields.string("user")
            revisions = try fields.integer("revisions")
            first = try fields.revision("first")
            last = try fields.revision("last")
            since = try fields.integer("since")
            until = try fields.integer("until")
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("user", user)
            writer.member("revisions", revisions)
            writer.member("first", first)
            writer.member("last", last)
            writer.member("since", since)
            writer.member("until", until)
        }
    }
}

extension Verified {
    /// A place where the store is damaged.
    package struct Finding: WirePart, Hashable, Sendable {
        /// The number of the document, if it is known.
        package var number: Int?
        /// Its name, if it is known.
        package var document: WireString?
        /// What is wrong, for a person.
        package var message: WireString

        package init(number: Int? = nil, document: WireString? = nil, message: WireString) {
            self.number = number
            self.document = document
            self.message = message
        }

        init(_ fields: Fields) throws(FieldFault) {
            number = try fields.integer(optional: "number")
            document = try fields.string(optional: "doc")
            message = try fields.string("message")
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("number", number)
            writer.member("doc", document)
            writer.member("message", message)
        }
    }
}

/// What other sessions may know about a session's owner.
package struct Introduction: WirePart, Hashable, Sendable {
    /// Whose session it is.
    package var user: WireString
    /// The public id of its client.
    package var client: WireString
    /// The `info` of its `hello`.
    package var info: WireInfo?

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

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("client", client)
        writer.member("info", info)
    }
}

extension WireChange {
    /// Who made a revision, and the time in milliseconds.
    package struct Author: WirePart, Hashable, Sendable {
        /// Who made it.
        package var user: WireString
        /// The public id of their client.
        package var client: WireString
        /// When it was committed.
        package var time: Int

        package init(user: WireString, client: WireString, time: Int) {
            self.user = user
            self.client = client
            self.time = time
        }

        init(_ fields: Fields) throws(FieldFault) {
            user = try fields.string("user")
            client = try fields.string("client")
            time = try fields.integer("time")
        }

        package func writeMembers(to writer: inout JSONWriter) {
            writer.member("user", user)
            writer.member("client", client)
            writer.member("time", time)
        }
    }
}

/// What `tokens` says about a token whose row is not damaged.
package struct TokenDetails: WirePart, Hashable, Sendable {
    /// Whose token it is.
    package var user: WireString
    /// When it was made.
    package var created: Int
    /// When it ends, or ended.
    package var expires: Int?
    /// When it was last used.
    package var lastUse: Int?
    /// What it allows, as in `add_token`.
    package var grants: [WireGrant]

    package init(
        user: WireString, created: Int, expires: Int? = nil, lastUse: Int? = nil, grants: [WireGrant]
    ) {
        self.user = user
        self.created = created
        self.expires = expires
        self.lastUse = lastUse
        self.grants = grants
    }

    init(_ fields: Fields) throws(FieldFault) {
        user = try fields.string("user")
        created = try fields.integer("created")
        expires = try fields.integer(optional: "expires")
        lastUse = try fields.integer(optional: "last_use")
        grants = try fields.parts("grants")
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("user", user)
        writer.member("created", created)
        writer.member("expires", expires)
        writer.member("last_use", lastUse)
        writer.member("grants", grants)
    }
}
