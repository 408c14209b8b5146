// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

// The messages of the protocol. docs/protocol/messages.md explains them.

/** The error codes of the server. docs/errors.md explains them. */
export type ErrorCode =
    | 'bad_json'
    | 'bad_message'
    | 'unknown_type'
    | 'line_too_long'
    | 'hello_required'
    | 'hello_timeout'
    | 'already_hello'
    | 'unsupported_protocol'
    | 'unauthorized'
    | 'token_ended'
    | 'rate_limited'
    | 'shutting_down'
    | 'overloaded'
    | 'bad_name'
    | 'not_found'
    | 'exists'
    | 'forbidden'
    | 'not_open'
    | 'already_open'
    | 'damaged'
    | 'bad_range'
    | 'bad_text'
    | 'bad_edits'
    | 'base_ahead'
    | 'base_behind'
    | 'base_trimmed'
    | 'base_before_own_push'
    | 'push_in_flight'
    | 'epoch_changed'
    | 'seq_reused'
    | 'too_large'
    | 'storage_full'
    | 'storage_failed'
    | 'internal'

export type Edit = { range: [number, number]; text: string }

export type CodeUnit = 'utf-16' | 'utf-8' | 'utf-32'

/** What a client intends to do with a document that it opens. */
export type OpenMode = 'edit' | 'watch'

/** What a push can request in its ack. */
export type Want = 'text'

/** What a user may do with a document. */
export type Rights = 'none' | 'read' | 'write'

/** What a link to a document allows. */
export type LinkRights = 'read' | 'write'

/** What a grant allows. Each right includes all lower rights. */
export type GrantedRights = 'read' | 'note' | 'write' | 'admin'

/** What a user may do with the notes of a document. */
export type NoteRights = 'read' | 'note' | 'write'

/** The state of a note. `accepted` and `rejected` are final. */
export type NoteState = 'open' | 'resolved' | 'accepted' | 'rejected'

/** Which line breaks to use when the document is written to a file. */
export type Newline = 'lf' | 'crlf'

/** Why the server sends the whole text instead of changes. */
export type ResyncReason = 'too_slow' | 'epoch' | 'trimmed'

/** Why the server cannot rebase from the base of a request. */
export type TrimmedCause = 'trimmed' | 'work' | 'forgotten'

/** Why a document is no longer open. */
export type GoneReason = 'deleted' | 'renamed' | 'damaged'

/** Why the server closes a connection, other than after an error. */
export type ByeReason = 'shutting_down' | 'idle' | 'too_slow' | 'replaced' | 'revoked' | 'token_ended'

/** The limits that `welcome` announces, so that a client can respect them. */
export interface LimitsAnnounced {
    /** Bytes of a client's line. */
    line?: number
    /** Bytes of a document as UTF-8. */
    document?: number
    /** Edits of one push. */
    edits?: number
    /** Documents that a connection can have open. */
    documents?: number
    /** Selections of one session. */
    selections?: number
    /** Pushes a second, with a burst of twice that; missing: no limit. */
    pushes_per_second?: number
}

/** A right on one document, or on all documents whose names share a prefix. */
export interface WireGrant {
    /** The rights. */
    rights: GrantedRights
    /** One document, whether it exists or not. */
    doc?: string
    /** All documents whose names begin so. */
    prefix?: string
}

/** Another session of a document, as listed by `opened`. */
export interface Peer {
    /** The id of the session. */
    session: string
    /** Whose session it is. */
    user: string
    /** The public id of its client. */
    client: string
    /** The `info` of its `hello`. */
    info?: object
    /** Its selections at `rev`. */
    selections: [number, number][]
}

/** The receiver's highest committed push. */
export interface OwnPush {
    /** Its `seq`. */
    seq: number
    /** Its revision. */
    rev: number
}

/** A revision as listed by `revisions`. Lengths are in the agreed unit. */
export interface RevisionSummary {
    /** The revision. */
    rev: number
    /** Who made it. */
    user: string
    /** The public id of their client. */
    client: string
    /** When it was committed. */
    time: number
    /** How much text it inserted, in the agreed unit. */
    inserted: number
    /** How much text it deleted. */
    deleted: number
    /** Its edits, if `history` asked for them. */
    edits?: Edit[]
}

/** Successive lines that the same revision changed last, as listed by `blamed`. */
export interface BlamedLines {
    /** The number of the first of these lines; the first line of a text is 1. */
    line: number
    /** How many lines they are. */
    lines: number
    /** The revision that changed them last, or the oldest kept revision. */
    rev: number
    /** Who made that revision; missing if they did not change since the oldest kept revision. */
    user?: string
    /** The public id of their client. */
    client?: string
    /** When it was committed. */
    time?: number
}

/** A named revision. */
export interface TagListItem {
    /** The name. */
    name: string
    /** The revision. */
    rev: number
    /** Who named it. */
    user: string
    /** When it was named. */
    time: number
}

/** A note as listed by `notes`. */
export interface NoteSummary {
    /** Its number in the document, which is never used again. */
    note: number
    /** Its version, which grows with each change of its text, its suggestion or its state. */
    version: number
    /** The note that it answers; missing: it begins a thread. */
    parent?: number
    /** Its words, in the text at `rev`; missing: it is about the whole document, answers another note, or is final. */
    range?: [number, number]
    /** The first 1,024 bytes of the words when it was written. */
    quote: string
    /** What it says. */
    text: string
    /** What it suggests, for the text at `rev`; missing: nothing, or it is final. */
    edits?: Edit[]
    /** Who wrote it. */
    user: string
    /** When it was written. */
    time: number
    /** When its text or its suggestion was changed last. */
    edited?: number
    /** Its state. */
    state: NoteState
    /** The revision that it became, if it was accepted and changed something. */
    accepted?: number
}

/** A token as listed by `tokens`. */
export interface TokenSummary {
    /** The number of the token. */
    number: number
    /** Whose token it is. */
    user?: string
    /** When it was made. */
    created?: number
    /** When it ends, or ended. */
    expires?: number
    /** When it was last used. */
    last_use?: number
    /** What it allows, as in `add_token`. */
    grants?: WireGrant[]
    /** Its row is damaged: it gives no access, and can only be revoked. */
    damaged?: boolean
}

/** A counter. */
export interface CounterValuesCounter {
    /** The name of the counter. */
    name: string
    /** Its value. */
    value: number
}

/** The durations of one kind of operation, in nanoseconds. */
export interface CounterValuesLatency {
    /** The name of the measured step. */
    name: string
    /** How often it was measured. */
    count: number
    /** The median, within 6.25 %. */
    p50: number
    /** The 99th percentile, within 6.25 %. */
    p99: number
    /** The longest, exactly. */
    max: number
    /** The sum of all. */
    sum?: number
    /** How many took less than some bounds. */
    buckets?: CounterValuesBucket[]
}

/** How many durations are shorter than a bound, including those below all smaller bounds. */
export interface CounterValuesBucket {
    /** The bound. */
    below: number
    /** How many took less, including those below smaller bounds. */
    count: number
}

/** A connection as listed by `present`. */
export interface ConnectionSummary {
    /** The number of the connection, as in the log. */
    number: number
    /** The user. */
    user: string
    /** The public id of the client. */
    client: string
    /** The address and port, or `unix` for the socket in the data folder. */
    peer?: string
    /** When it was welcomed. */
    since: number
    /** The documents that it has open. */
    docs: string[]
    /** The documents that the client reads so slowly that the server reads their changes from disk. */
    behind?: string[]
}

/** A server as listed by `nodes`. */
export interface ServerSummary {
    /** The name of the server. */
    name: string
    /** Where clients reach it; missing: it listens only on the socket in its data folder. */
    address?: string
    /** The program and its version. */
    version: string
    /** When it started. */
    since: number
    /** How many milliseconds ago it was last heard of. */
    silent_ms: number
    /** How many clients are connected to it. */
    connections: number
    /** How many documents it has open. */
    documents: number
    /** It is the server that answers. */
    answering?: boolean
}

/** A deleted document as listed by `deleted`. */
export interface DeletedDocument {
    /** The number of the document, for `undelete`. */
    number: number
    /** The name that it had. */
    doc: string
    /** The head. */
    rev: number
    /** The length of the text in the agreed unit. */
    length: number
    /** When it was last changed. */
    updated: number
    /** When it was deleted. */
    deleted: number
}

/** A user who wrote a part of the passage. */
export interface RedactedAuthor {
    /** The user. */
    user: string
    /** How many of the user's revisions change. */
    revisions: number
    /** The first of these revisions. */
    first: number
    /** The last of these revisions. */
    last: number
    /** When the first one was made. */
    since: number
    /** When the last one was made. */
    until: number
}

/** A place where the store is damaged. */
export interface VerifiedFinding {
    /** The number of the document, if it is known. */
    number?: number
    /** Its name, if it is known. */
    doc?: string
    /** What is wrong, for a person. */
    message: string
}

/** What other sessions may know about a session's owner. */
export interface Introduction {
    /** Whose session it is. */
    user: string
    /** The public id of its client. */
    client: string
    /** The `info` of its `hello`. */
    info?: object
}

/** Who made a revision, and the time in milliseconds. */
export interface WireChangeAuthor {
    /** Who made it. */
    user: string
    /** The public id of their client. */
    client: string
    /** When it was committed. */
    time: number
}

/** What `tokens` says about a token whose row is not damaged. */
export interface TokenDetails {
    /** Whose token it is. */
    user: string
    /** When it was made. */
    created: number
    /** When it ends, or ended. */
    expires?: number
    /** When it was last used. */
    last_use?: number
    /** What it allows, as in `add_token`. */
    grants: WireGrant[]
}

/** A document as reported to clients that list or follow documents. */
export interface DocumentSummary {
    /** The name. */
    doc: string
    /** The epoch. */
    epoch: string
    /** The head. */
    rev: number
    /** The length of the text in the agreed unit. */
    length: number
    /** When it was created or last changed. */
    updated: number
}

/** The first message of a connection: who the client is, and what it supports. */
export interface HelloMessage {
    type: 'hello'
    id?: number | string
    /** The version of the protocol. */
    protocol: number
    /** A random id that the client keeps (rule H2); printable ASCII. */
    client: string
    /** The units the client can count in, best first: `utf-16`, `utf-8`, `utf-32`. */
    units?: string[]
    /** The token of the user. */
    token?: string
    /** Anything that others may see, such as a name and a color. */
    info?: object
}

/** The answer to `hello`: what client and server have agreed on. */
export interface WelcomeMessage {
    type: 'welcome'
    id?: number | string
    /** The version of the protocol. */
    protocol: number
    /** The unit of all offsets on this connection. */
    unit: CodeUnit
    /** The program and its version. */
    server: string
    /** Who the token belongs to; `anonymous` on a server without tokens. */
    user: string
    /** The public id of the client: others see this one. */
    client?: string
    /** What the server can do beyond the basics: `follow`, `squash`, `exact`, `blame`, `notes`, `links`. */
    features?: string[]
    /** The limits below; a missing limit has its default. */
    limits: LimitsAnnounced
    /** Seconds of silence before the server sends `ping`. */
    ping: number
    /** The address of the server's page for browsers; missing: the server has none. */
    page?: string
    /** The name of the store: every epoch begins with it. */
    store?: string
    /** The name of the server, if several servers use its store. */
    node?: string
    /** The most that the user may do with any document; missing: `write`. */
    rights?: Rights
    /** What the user may write, sorted; missing: everything, nothing, or more than 100 names and prefixes. */
    grants?: WireGrant[]
    /** When the token ends; missing: it has no end. */
    expires?: number
    /** The milliseconds until then, by the clock of the server. */
    expires_in_ms?: number
    /** The name and color that others see, if they come from the token (rule H13). */
    info?: object
}

/** Shows another token of the same user, before the one of the connection ends or to change the rights. */
export interface AuthenticateMessage {
    type: 'authenticate'
    id?: number | string
    /** The token. */
    token: string
}

/** The answer to `authenticate`: the token counts from now on. Fields that `welcome` has too mean the same. */
export interface AuthenticatedMessage {
    type: 'authenticated'
    id?: number | string
    /** Who the token belongs to. */
    user: string
    /** The rights differ from those before: a client that follows documents sends `follow` again. */
    changed?: boolean
    /** The most that the user may do with any document; missing: `write`. */
    rights?: Rights
    /** What the user may write, sorted; missing: everything, nothing, or more than 100 names and prefixes. */
    grants?: WireGrant[]
    /** When the token ends; missing: it has no end. */
    expires?: number
    /** The milliseconds until then, by the clock of the server. */
    expires_in_ms?: number
}

/** Checks whether the other side still answers. */
export interface PingMessage {
    type: 'ping'
    id?: number | string
}

/** The answer to `ping`. */
export interface PongMessage {
    type: 'pong'
    id?: number | string
}

/** Announces that the server will close the connection. */
export interface ByeMessage {
    type: 'bye'
    id?: number | string
    /** `shutting_down`, `idle`, `too_slow`, `replaced`, `revoked` or `token_ended`. */
    reason: ByeReason | (string & {})
    /** When to connect again, in milliseconds. */
    retry_after_ms?: number
}

/** Reports that the server refused a client's message. */
export interface ErrorMessage {
    type: 'error'
    id?: number | string
    /** The document of the refused message. */
    doc?: string
    /** The `seq` of the refused push. */
    seq?: number
    /** What is wrong, for a program. */
    code: ErrorCode | (string & {})
    /** What is wrong, where, and both numbers, for a person. */
    message: string
    /** The epoch of the document, when a base cannot be used. */
    epoch?: string
    /** The head of the document, when a base cannot be used. */
    rev?: number
    /** `trimmed`: the history there was trimmed; `work`: the rebase would take too long (rule P5); `forgotten`: the push may have been forgotten (rule P11). */
    cause?: TrimmedCause | (string & {})
    /** When to try again, in milliseconds. */
    retry_after_ms?: number
}

/** Opens a document and subscribes to its changes. */
export interface OpenMessage {
    type: 'open'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Create the document if it is missing. */
    create?: boolean
    /** Resume: the epoch of the text that the client has. */
    epoch?: string
    /** Resume: the revision of that text. */
    rev?: number
    /** `watch` promises not to push; the default is `edit`. */
    mode?: OpenMode
    /** The server may join several revisions into one `change`. */
    squash?: boolean
    /** Send `noted` when notes of the document have changed (rule N8). */
    notes?: boolean
}

/** The answer to `open`. */
export interface OpenedMessage {
    type: 'opened'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Its epoch. */
    epoch: string
    /** The revision of the text, or the one from which changes follow. */
    rev: number
    /** The whole text at `rev`. */
    text?: string
    /** Whether the client can continue with its own text. */
    resumed?: boolean
    /** What this client may do with the document. */
    rights: Rights
    /** The line breaks to use in a file (rule T5). */
    newline: Newline
    /** The other sessions that have selected something (rule S1). */
    peers?: Peer[]
    /** The receiver's own highest committed push to this document. */
    own?: OwnPush
}

/** Closes a document. The client receives no more changes of this document. */
export interface CloseMessage {
    type: 'close'
    id?: number | string
    /** The name of the document. */
    doc: string
}

/** The answer to `close`. The server first sends the acks of earlier pushes. */
export interface ClosedMessage {
    type: 'closed'
    id?: number | string
    /** The name of the document. */
    doc: string
}

/** Requests that the server commit a change. */
export interface PushMessage {
    type: 'push'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The epoch of `base`; see rule P3 for a push without it. */
    epoch?: string
    /** The revision that the push was made from. */
    base: number
    /** The number of the push: it grows with each new one (rule P8). */
    seq: number
    /** The edits, in offsets of the text at `base`. */
    edits?: Edit[]
    /** The whole new text. */
    text?: string
    /** Asks for the whole text in the ack. */
    want?: Want
    /** Without `epoch`: create the document if it is missing (rule P3). */
    create?: boolean
    /** Refuse the push if `base` is not the head (rule P21). */
    exact?: boolean
}

/** Reports that a push is synced to disk, or that it changed nothing. */
export interface AckMessage {
    type: 'ack'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The `seq` of the push. */
    seq: number
    /** The document's epoch, if the push named none, and in an ack with `unchanged`. */
    epoch?: string
    /** The revision that the push became. */
    rev: number
    /** The edits as committed, if they differ from the ones sent (rule P7). */
    edits?: Edit[]
    /** The whole text at `rev`, if `want` asked for it. */
    text?: string
    /** The push changed nothing, and made no revision (rule P6). */
    unchanged?: boolean
    /** The push had been committed before (rule P8). */
    duplicate?: boolean
}

/** A revision of an open document, or several revisions combined. */
export interface ChangeMessage {
    type: 'change'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The revision after the change. */
    rev: number
    /** The revision before the first of them. */
    from?: number
    /** The edits, in offsets of the text before the change. */
    edits: Edit[]
    /** Who made the change. */
    user?: string
    /** The public id of their client. */
    client?: string
    /** When it was committed. */
    time?: number
}

/** The whole text of a document. The server sends this message if it cannot send the changes. */
export interface ResyncMessage {
    type: 'resync'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Its epoch, which may be a new one. */
    epoch: string
    /** The revision of the text. */
    rev: number
    /** The whole text. */
    text: string
    /** `too_slow`, `epoch` or `trimmed` (rule C5). */
    reason: ResyncReason | (string & {})
    /** The receiver's own highest committed push, as in `opened`. */
    own?: OwnPush
}

/** Reports that the receiver's rights on a document have changed. */
export interface RightsMessage {
    type: 'rights'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The new rights; `none` ends the session. */
    rights: Rights
}

/** The length and checksum of the text at a revision. */
export interface CheckMessage {
    type: 'check'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The revision, which is the one the receiver has just reached. */
    rev: number
    /** The length of the text in the agreed unit. */
    length: number
    /** CRC-32 of the text as UTF-8, in eight lowercase hexadecimal digits. */
    crc32: string
}

/** Reports that the client's text at a revision does not match `check`. The client then opens the document again. */
export interface DivergedMessage {
    type: 'diverged'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The revision of the `check`. */
    rev: number
}

/** Reports that a document no longer exists under this name. The server sends it to each session that has the document open, and to each follower. */
export interface GoneMessage {
    type: 'gone'
    id?: number | string
    /** The name that is gone. */
    doc: string
    /** The epoch of that document, because another document may have the name by now. */
    epoch?: string
    /** `deleted`, `renamed` or `damaged`. */
    reason: GoneReason | (string & {})
    /** The new name, only for users who may read it. */
    to?: string
    /** The message is for a follower, and ends no session (rule D8). */
    followed?: boolean
}

/** Reports what a session has selected, in the text at a revision. */
export interface SelectMessage {
    type: 'select'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The revision that the offsets count in. */
    rev: number
    /** Anchor and head of each; `[]` hides the session. */
    selections: [number, number][]
}

/** Reports that another session of an open document has changed its selections, or has ended. */
export interface PeerMessage {
    type: 'peer'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The id of the session. */
    session: string
    /** Whose session it is; only the first time. */
    user?: string
    /** The public id of its client; only the first time. */
    client?: string
    /** The `info` of its `hello`; only the first time. */
    info?: object
    /** The revision that the receiver has just reached. */
    rev?: number
    /** The selections at `rev`. */
    selections?: [number, number][]
    /** The session has ended. */
    left?: boolean
}

/** Requests a page of the documents that the client may read. */
export interface ListMessage {
    type: 'list'
    id?: number | string
    /** Only names that begin with these bytes. */
    prefix?: string
    /** Only names after this one. */
    after?: string
    /** How many at most; the default is 100. */
    limit?: number
}

/** The answer to `list`. */
export interface ListedMessage {
    type: 'listed'
    id?: number | string
    /** The documents, sorted by the bytes of their names. */
    docs: DocumentSummary[]
    /** There are more after the last one. */
    more?: boolean
}

/** Subscribes to documents being created, changed, renamed and deleted. */
export interface FollowMessage {
    type: 'follow'
    id?: number | string
    /** Only names that begin with these bytes. */
    prefix?: string
}

/** A document as reported to clients that list or follow documents. */
export interface DocumentMessage {
    type: 'document'
    id?: number | string
    /** The name. */
    doc: string
    /** The epoch. */
    epoch: string
    /** The head. */
    rev: number
    /** The length of the text in the agreed unit. */
    length: number
    /** When it was created or last changed. */
    updated: number
}

/** Ends the subscription that `follow` began. */
export interface UnfollowMessage {
    type: 'unfollow'
    id?: number | string
}

/** The answer to a request that returns nothing. */
export interface DoneMessage {
    type: 'done'
    id?: number | string
}

/** Requests the text of a document. */
export interface ReadMessage {
    type: 'read'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** A revision; without it and `at`, the head. */
    rev?: number
    /** A time: the revision that was the head then. */
    at?: number
    /** Only the text after this offset (rule D26). */
    start?: number
    /** Only the text before this offset (rule D26). */
    end?: number
}

/** The answer to `read`. */
export interface TextMessage {
    type: 'text'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Its epoch. */
    epoch: string
    /** The revision of the text. */
    rev: number
    /** The text, or the requested part of it. */
    text: string
    /** The line breaks to use in a file (rule T5). */
    newline: Newline
    /** Where the part begins, if a part was requested. */
    start?: number
    /** The length of the whole text, if a part was requested. */
    length?: number
}

/** Requests a page of a document's revisions. */
export interface HistoryMessage {
    type: 'history'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Only revisions after this one. */
    after?: number
    /** Only revisions after the one that was the head at this time. */
    at?: number
    /** How many at most; the default is 100. */
    limit?: number
    /** With the edits of each revision. */
    edits?: boolean
}

/** The answer to `history`. */
export interface RevisionsMessage {
    type: 'revisions'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The revisions. */
    revisions: RevisionSummary[]
    /** There are more after the last one. */
    more?: boolean
}

/** Requests a page of who changed each line of a text last. */
export interface BlameMessage {
    type: 'blame'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The revision of the text; without it, the head. */
    rev?: number
    /** Only lines after the one with this number. */
    after?: number
    /** How many ranges at most; the default is 100. */
    limit?: number
}

/** The answer to `blame`. */
export interface BlamedMessage {
    type: 'blamed'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Its epoch. */
    epoch: string
    /** The revision of the text. */
    rev: number
    /** The ranges of lines, in order. */
    ranges: BlamedLines[]
    /** There are more after the last one. */
    more?: boolean
}

/** Makes a new revision with the text of an old revision. The server treats this request as a push. */
export interface RestoreMessage {
    type: 'restore'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Its epoch. */
    epoch: string
    /** The revision whose text is wanted. */
    rev: number
    /** The number of the push. */
    seq: number
}

/** Renames a document. */
export interface RenameMessage {
    type: 'rename'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The new name. */
    to: string
}

/** Deletes a document. */
export interface DeleteMessage {
    type: 'delete'
    id?: number | string
    /** The name of the document. */
    doc: string
}

/** Requests a page of the deleted documents that the client may write and that can still be undeleted. */
export interface ListDeletedMessage {
    type: 'list_deleted'
    id?: number | string
    /** Only names that begin with these bytes. */
    prefix?: string
    /** Only documents with a higher number. */
    after?: number
    /** How many at most; the default is 100. */
    limit?: number
}

/** The answer to `list_deleted`. */
export interface DeletedMessage {
    type: 'deleted'
    id?: number | string
    /** The deleted documents. */
    docs: DeletedDocument[]
    /** There are more after the last one. */
    more?: boolean
}

/** Restores a deleted document under its old name. */
export interface UndeleteMessage {
    type: 'undelete'
    id?: number | string
    /** The number of the document. */
    number: number
}

/** Names a revision of a document. */
export interface TagMessage {
    type: 'tag'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The name of the revision: ASCII letters, digits, `-`, `_` and `.`, with a letter first. */
    name: string
    /** The revision. */
    rev: number
}

/** Removes the name of a revision. The revision stays. */
export interface UntagMessage {
    type: 'untag'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The name of the revision. */
    name: string
}

/** Requests all tags of a document. */
export interface ListTagsMessage {
    type: 'list_tags'
    id?: number | string
    /** The name of the document. */
    doc: string
}

/** Copies the text and the named revisions of a document under a new name. */
export interface CopyMessage {
    type: 'copy'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The name of the copy. */
    to: string
}

/** The answer to `list_tags`. */
export interface TagsMessage {
    type: 'tags'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The named revisions, sorted by revision and name. */
    tags: TagListItem[]
}

/** Writes a note, an answer to a note, or a suggestion. */
export interface AddNoteMessage {
    type: 'add_note'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** An id of this request, so that a repeat writes no second note (rule N5). */
    request?: string
    /** The note to answer; an answer has no `range` and no `edits`. */
    parent?: number
    /** The revision that `range` and `edits` count in; required with them. */
    rev?: number
    /** The words that the note is about; without it, the range of `edits`, or the whole document. */
    range?: [number, number]
    /** A change that the note suggests. */
    edits?: Edit[]
    /** What the note says; no CR; it may be empty beside `edits`. */
    text: string
}

/** Changes the text of a note and what it suggests, or what has become of it. */
export interface ChangeNoteMessage {
    type: 'change_note'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The number of the note. */
    note: number
    /** The version of the note that the client has seen. */
    version: number
    /** The revision that `range` and `edits` count in; required with them. */
    rev?: number
    /** The words that the note is about now; without it, the range of `edits`. */
    range?: [number, number]
    /** The change that the note suggests now; without it and without `range`, the suggestion stays. */
    edits?: Edit[]
    /** What the note says now; no CR. */
    text?: string
    /** What becomes of the note; only its author may change it in another way. */
    state?: NoteState
}

/** Removes a note, and its answers. */
export interface RemoveNoteMessage {
    type: 'remove_note'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The number of the note. */
    note: number
    /** The version of the note that the client has seen. */
    version: number
}

/** Requests a page of the notes of a document. */
export interface ListNotesMessage {
    type: 'list_notes'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Only notes that were written or changed after this count (rule N7). */
    since?: number
    /** Only notes with a higher number. */
    after?: number
    /** How many at most; the default is 100. */
    limit?: number
}

/** The answer to a request that writes or changes a note. The note is synced to disk. */
export interface NoteWrittenMessage {
    type: 'note_written'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The number of the note. */
    note: number
    /** Its version now. */
    version: number
    /** The revision that an accepted suggestion became. */
    rev?: number
}

/** The answer to `list_notes`. */
export interface NotesMessage {
    type: 'notes'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Its epoch. */
    epoch: string
    /** The revision that `range` and `edits` of the notes count in. */
    rev: number
    /** How often notes of the document have been written, changed or removed (rule N7). */
    count: number
    /** The client must forget the notes that it knows, because some were removed since, or it asked for all. */
    whole?: boolean
    /** What this client may do with notes (rule N4). */
    rights: NoteRights
    /** The notes, sorted by number. */
    notes: NoteSummary[]
    /** There are more after the last one. */
    more?: boolean
}

/** Reports that notes of an open document may have changed. */
export interface NotedMessage {
    type: 'noted'
    id?: number | string
    /** The name of the document. */
    doc: string
}

/** Creates a link to a document: a token for everybody who gets the link. */
export interface AddLinkMessage {
    type: 'add_link'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** What the link allows. */
    rights: LinkRights
    /** How long the link is valid: at least 1, at most 2,592,000, which are 30 days. */
    seconds: number
}

/** Requests a page of the links to a document. */
export interface ListLinksMessage {
    type: 'list_links'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** Only links with a higher number. */
    after?: number
    /** How many at most; the default is 100. */
    limit?: number
}

/** Ends a link, and the connections of those who use it. */
export interface EndLinkMessage {
    type: 'end_link'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The number of the link. */
    number: number
}

/** Requests a page of the tokens. */
export interface ListTokensMessage {
    type: 'list_tokens'
    id?: number | string
    /** Only tokens with a higher number. */
    after?: number
    /** How many at most; the default is 100. */
    limit?: number
}

/** The answer to `list_tokens` and `list_links`. */
export interface TokensMessage {
    type: 'tokens'
    id?: number | string
    /** The tokens. */
    tokens: TokenSummary[]
    /** There are more after the last one. */
    more?: boolean
}

/** Creates a token for a user. */
export interface AddTokenMessage {
    type: 'add_token'
    id?: number | string
    /** The name of the user: any name that a document could have. */
    user: string
    /** What the token allows; the highest right that fits counts. */
    grants: WireGrant[]
    /** When the token ends; without it, the token has no end. */
    expires?: number
}

/** The answer to `add_token` and `add_link`. No other message contains the text of a token. */
export interface TokenAddedMessage {
    type: 'token_added'
    id?: number | string
    /** The number of the token, by which it can be revoked. */
    number: number
    /** The token, for `hello`. */
    token: string
}

/** Revokes a token. */
export interface RevokeTokenMessage {
    type: 'revoke_token'
    id?: number | string
    /** The number of the token. */
    number: number
}

/** Makes the signed tokens of a user, or the one with an id, invalid. */
export interface SignOutMessage {
    type: 'sign_out'
    id?: number | string
    /** The name of the user. */
    user?: string
    /** The id of a token, instead of `user`. */
    jti?: string
    /** Tokens that were issued before this time, in milliseconds, become invalid; without it, all that were issued so far. */
    before?: number
}

/** Requests all counters of the server. */
export interface CountersMessage {
    type: 'counters'
    id?: number | string
}

/** The answer to `counters`. */
export interface CountedMessage {
    type: 'counted'
    id?: number | string
    /** When the server started, which is when counting began. */
    since: number
    /** The counters. */
    counters: CounterValuesCounter[]
    /** The measured times, in nanoseconds. */
    latencies: CounterValuesLatency[]
}

/** Requests a page of the current connections. */
export interface WhoMessage {
    type: 'who'
    id?: number | string
    /** Only connections with a higher number. */
    after?: number
    /** How many at most; the default is 100. */
    limit?: number
}

/** The answer to `who`. */
export interface PresentMessage {
    type: 'present'
    id?: number | string
    /** The connections that have been welcomed. */
    connections: ConnectionSummary[]
    /** There are more after the last one. */
    more?: boolean
}

/** Requests the list of the servers that use the store. */
export interface ListNodesMessage {
    type: 'list_nodes'
    id?: number | string
}

/** The answer to `list_nodes`. */
export interface NodesMessage {
    type: 'nodes'
    id?: number | string
    /** The servers that have not stopped. */
    nodes: ServerSummary[]
}

/** Deletes the history of a document before a revision. A dry run only reports what would be deleted. */
export interface TrimMessage {
    type: 'trim'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The oldest revision whose text stays readable. */
    rev: number
    /** Only report what would be deleted. */
    dry_run?: boolean
}

/** The answer to `trim`. */
export interface TrimmedMessage {
    type: 'trimmed'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The oldest revision whose text is readable afterwards. */
    start: number
    /** How many revisions were deleted. */
    revisions: number
    /** Nothing was deleted. */
    dry_run?: boolean
}

/** Removes a passage from every revision of a document, forever. A dry run only reports what would change. */
export interface RedactMessage {
    type: 'redact'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The text to remove, compared byte by byte; it has more than line breaks. */
    passage: string
    /** Only report what would change. */
    dry_run?: boolean
}

/** The answer to `redact`. */
export interface RedactedMessage {
    type: 'redacted'
    id?: number | string
    /** The name of the document. */
    doc: string
    /** The epoch afterwards. */
    epoch: string
    /** The head, which does not change. */
    rev: number
    /** How many revisions contained the passage. */
    containing: number
    /** How many notes contained it; missing: none. */
    notes?: number
    /** How often the newest text contained it. */
    in_head: number
    /** How many revisions inserted a part of it, so that their inserted text changes. */
    changed: number
    /** Who wrote it, at most 100 users. */
    authors: RedactedAuthor[]
    /** Files in the folder `backups` that were made before, at most 100. */
    backups: string[]
    /** There are more authors or backups. */
    more?: boolean
    /** No unused part of the server's files contains the passage any more. */
    erased?: boolean
    /** Nothing was changed. */
    dry_run?: boolean
}

/** Reads and checks the whole store, or everything stored for one document. */
export interface VerifyMessage {
    type: 'verify'
    id?: number | string
    /** Only this document. */
    doc?: string
}

/** Progress of `verify` or `backup`, in documents or pages. The answer follows later. */
export interface ProgressMessage {
    type: 'progress'
    id?: number | string
    /** Documents that are checked, or pages that are copied. */
    done: number
    /** How many there are in all. */
    of: number
}

/** The answer to `verify`. */
export interface VerifiedMessage {
    type: 'verified'
    id?: number | string
    /** Documents that were checked. */
    documents: number
    /** Revisions that were checked. */
    revisions: number
    /** What is damaged, 1,000 entries at most; empty if nothing is damaged. */
    findings: VerifiedFinding[]
    /** There are more findings. */
    more?: boolean
}

/** Copies the store into a backup file. */
export interface BackupMessage {
    type: 'backup'
    id?: number | string
}

/** The answer to `backup`. */
export interface BackedUpMessage {
    type: 'backed_up'
    id?: number | string
    /** The name of the file, in the folder `backups` of the data folder. */
    file: string
    /** Its size. */
    bytes: number
    /** How many documents it contains. */
    documents: number
}

/** A message from a client to the server. */
export type ClientMessage =
    | HelloMessage
    | AuthenticateMessage
    | PingMessage
    | PongMessage
    | OpenMessage
    | CloseMessage
    | PushMessage
    | DivergedMessage
    | SelectMessage
    | ListMessage
    | FollowMessage
    | UnfollowMessage
    | ReadMessage
    | HistoryMessage
    | BlameMessage
    | RestoreMessage
    | RenameMessage
    | DeleteMessage
    | ListDeletedMessage
    | UndeleteMessage
    | TagMessage
    | UntagMessage
    | ListTagsMessage
    | CopyMessage
    | AddNoteMessage
    | ChangeNoteMessage
    | RemoveNoteMessage
    | ListNotesMessage
    | AddLinkMessage
    | ListLinksMessage
    | EndLinkMessage
    | ListTokensMessage
    | AddTokenMessage
    | RevokeTokenMessage
    | SignOutMessage
    | CountersMessage
    | WhoMessage
    | ListNodesMessage
    | TrimMessage
    | RedactMessage
    | VerifyMessage
    | BackupMessage

/** A message from the server to a client. */
export type ServerMessage =
    | WelcomeMessage
    | AuthenticatedMessage
    | PingMessage
    | PongMessage
    | ByeMessage
    | ErrorMessage
    | OpenedMessage
    | ClosedMessage
    | AckMessage
    | ChangeMessage
    | ResyncMessage
    | RightsMessage
    | CheckMessage
    | GoneMessage
    | PeerMessage
    | ListedMessage
    | DocumentMessage
    | DoneMessage
    | TextMessage
    | RevisionsMessage
    | BlamedMessage
    | DeletedMessage
    | TagsMessage
    | NoteWrittenMessage
    | NotesMessage
    | NotedMessage
    | TokensMessage
    | TokenAddedMessage
    | CountedMessage
    | PresentMessage
    | NodesMessage
    | TrimmedMessage
    | RedactedMessage
    | ProgressMessage
    | VerifiedMessage
    | BackedUpMessage
