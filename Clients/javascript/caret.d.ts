// The interface of caret.js. Offsets count UTF-16 code units, as in JavaScript strings.

import type { ErrorCode } from './protocol.js'

export type { ErrorCode }

/** One replaced range. In a list of edits, the ranges are ascending, and refer to the text before all of them. */
export interface Edit { range: [start: number, end: number]; text: string }

/** The head is the end that moves when the selection is extended. If both are equal, it is a caret. */
export type Range = [anchor: number, head: number]

export interface Link {
    state: 'connecting' | 'online' | 'waiting' | 'ended'
    /** Only while waiting: when the next attempt is. */
    until?: Date
    /**
     * What went wrong last. With several servers, it begins with the host of the server, or lists all of them. After the
     * end: 'closed', 'unauthorized', 'revoked', 'token_ended', 'signed_out', 'replaced', 'other_user', 'trapped' or an error
     * code. 'token_ended': a token without a function has ended. 'signed_out': the function has answered null. After
     * 'other_user', connect again: the new client does not use the edits of the other user.
     */
    reason?: string
}

export interface Limits {
    line: number; document: number; edits: number; documents: number; selections: number; pushes_per_second?: number
}

export interface Entry { name: string; epoch: string; revision: number; length: number; updated: Date }
/** A deleted document that can still be brought back. */
export interface DeletedEntry {
    number: number; name: string; revision: number; length: number; updated: Date; deleted: Date
}
/** A link to a document: a token for everybody who gets it. */
export interface DocumentLink {
    number: number
    /** What the server calls everybody who uses the link. */
    user: string
    rights: 'read' | 'write'
    created: Date
    expires: Date
    /** When a connection with the link last began or ended. Missing if there was none yet. */
    lastUse?: Date
}
export interface Snapshot { name: string; epoch: string; revision: number; text: string; newline: 'lf' | 'crlf' }
/** A part of a text: where it begins, and the length of the whole text. */
export interface TextPart extends Snapshot { start: number; length: number }
export interface Revision {
    revision: number; user: string; client: string; time: Date; inserted: number; deleted: number; edits?: Edit[]
}

/** A revision with a name, who named it, and when. */
export interface Tag { name: string; revision: number; user: string; time: Date }

/** An event of `follow`. 'restarted': all existing documents come next. 'complete': all of them have arrived. */
export type FollowEvent = ({ type: 'document' } & Entry) | { type: 'gone'; name: string; reason: string; to?: string }
    | { type: 'restarted' } | { type: 'complete' }

/** Another session that has the document open. */
export interface Peer {
    session: string; user: string; client: string; name?: string; color?: string; selections: Range[]
    /** Whether the name and color come from the token of the user. If not, the client may say anything. */
    verified: boolean
}

export interface Saving {
    state: 'opening' | 'saved' | 'sending' | 'offline' | 'refused'
    /** The error code, if the server refused something. While `sending`, why it saves nothing yet, if there is a reason. */
    code?: string
    since: Date
}

/** A connection to the server. `start` connects. `closed` is called once, also if connecting fails. */
export interface Transport {
    start(events: { opened(): void; received(line: string): void; closed(reason: string): void }): void
    /** Sends a line. `line` has no line end. */
    send(line: string): void
    close(): void
}

/** The unsaved edits of one document. A Keeping stores it without looking into it. */
export interface Keepsake {
    /**
     * The key: the origin of the server, the secret id of the client that has made it, and a number. Of several servers,
     * it is the origin of the first one, whichever is used.
     */
    server: string; client: string; number: number
    /** The name of the document. */
    name: string
    bytes: Uint8Array
    [member: string]: unknown
}

/** Stores keepsakes on this device. If a promise is rejected, the client continues without the storage. */
export interface Keeping {
    /** All keepsakes of a server. */
    list(server: string): Promise<Keepsake[]>
    /** Stores a keepsake, instead of the one with the same key. It is safe when the promise is fulfilled. */
    put(keepsake: Keepsake): Promise<void>
    remove(key: { server: string; client: string; number: number }): Promise<void>
    /**
     * Locks a client id until its program ends, even if it crashes. Waits at most `wait` milliseconds. Returns a
     * function that releases the lock, or null if another client has it. If the lock is lost later, calls `lost`.
     */
    lock(server: string, client: string, options: { wait: number; lost: () => void }): Promise<(() => void) | null>
    /** The client id that was remembered last in this tab. */
    remembered?(server: string): string | undefined
    remember?(server: string, client: string): void
}

/** A document with unsaved edits on this device. */
export interface Kept {
    name: string
    /** The user who wrote the edits. Undefined if neither the server nor the program has named the user. */
    user?: string
    /** When the edits were stored last. */
    since: Date
    /**
     * 'here': this client has the edits, and `open(name)` continues from them. 'otherTab': another tab has them.
     * 'waiting': a tab that has ended left them, and this client saves them when it is online. 'otherUser': they
     * belong to another user. 'unknownUser': their user or the user of this client is not known, and the token is another
     * one. 'damaged': they cannot be read.
     */
    state: 'here' | 'otherTab' | 'waiting' | 'otherUser' | 'unknownUser' | 'damaged'
    /** For `forget` and `claim`. */
    id: string
}

/**
 * Returns a token, or null if the user is signed out. If it throws, the client is offline, and calls it again. It is called
 * before the client connects without a valid token, and before the token ends, at most every 10 s after a token.
 */
export type TokenFunction = () => string | null | Promise<string | null>

export interface Options {
    /** The access token, or a function that returns one. A string is not replaced when it ends. */
    token?: string | TokenFunction
    /**
     * The user, as the server names them. Their unsaved edits are shown before the server has answered, also with another
     * token. If the server names another user, the client ends with the reason 'other_user'.
     */
    user?: string
    /** What others see of the user: a name, and a CSS color. */
    name?: string; color?: string
    /**
     * The secret id of this client, 8 to 64 printable ASCII characters. By default, that of a client that has ended and
     * left unsaved edits on this device, or else a random one. If this id has unsaved edits here that may belong to the
     * user, but not certainly, the client makes another id.
     */
    client?: string
    /** Where unsaved edits are stored. By default, in IndexedDB on a page, and nowhere in Node. */
    keep?: Keeping | false
    /** Makes a connection to the server with this URL. By default, this is a WebSocket. */
    transport?: (url: URL) => Transport
    /**
     * Whether the client tries several servers in an order that it chooses by chance, so that the clients spread over the
     * servers. True if it is missing. If it is false, the client tries them in the order of the list.
     */
    shuffle?: boolean
    /** The WebAssembly module: its URL, its bytes, or compiled. By default, the file caret.wasm next to caret.js. */
    wasm?: URL | BufferSource | Response | WebAssembly.Module | Promise<BufferSource | Response | WebAssembly.Module>
}

export interface CaretEventMap {
    link: Event & { link: Link }
    /** The client has ended, because it has no valid token. */
    signedOut: Event & { reason: 'unauthorized' | 'revoked' | 'token_ended' | 'signed_out' }
    /** The storage for unsaved edits has failed, or works again. */
    keeping: Event & { error: CaretError | null }
    /** The answer of `kept` has changed, as far as this client knows. Other tabs change it too. */
    kept: Event
}

export class Caret extends EventTarget {
    private constructor()
    /**
     * Loads the module, and begins to connect. Does not wait for the connection. The client reconnects by itself.
     *
     * Several servers must have the same documents: they use one database. If a server stops or cannot be reached, the
     * client goes on to the next one at once. After it has tried all of them, it waits before it tries them again.
     */
    static connect(server?: string | URL | readonly (string | URL)[], options?: Options): Promise<Caret>
    /** The server that the client is connected to, or tries next. */
    readonly server: URL
    readonly link: Link
    readonly user?: string
    /**
     * The name and color of the user's token: others see them, and `introduce` does not change them. Undefined if the token
     * has none of them, and until the server has answered.
     */
    readonly verified?: { name?: string, color?: string }
    readonly limits?: Limits
    /** What the server can do beyond the basics, such as `links`. Undefined until the server has answered. */
    readonly features?: string[]
    /** The most that the user may do with any document. Undefined until the server has answered. */
    readonly rights?: 'none' | 'read' | 'write'
    /**
     * What the user may write: documents, and prefixes of their names. Undefined if the user may write all or none, if
     * this takes more than 100 of them, and until the server has answered.
     */
    readonly grants?: readonly ({ rights: 'write', doc: string } | { rights: 'write', prefix: string })[]
    readonly core: Core
    /** Why unsaved edits are not stored on this device. Null if they are, and with `keep: false`. */
    readonly keepingError: CaretError | null
    /** The documents with unsaved edits on this device, sorted by name. */
    kept(): Promise<Kept[]>
    /** Removes edits for good. Returns false if an open document or another tab uses them. */
    forget(kept: Kept): Promise<boolean>
    /**
     * The user says that edits with the state 'unknownUser' are theirs, and this client saves them. Takes all edits of the
     * same client that name no user. Returns false if another tab uses them, or if this client does not know its user yet.
     */
    claim(kept: Kept): Promise<boolean>
    /** Tries to connect at once, if the client waits before its next attempt. */
    reconnect(): void
    /**
     * Others see this name and color from now on, or none if they are missing. If there is a connection, the client makes
     * a new one: documents, edits and `undo` stay, and a `rename` or `delete` without an answer throws `disconnected`.
     */
    introduce(person: { name?: string; color?: string }): void
    /**
     * Opens a document, now or as soon as there is a connection. There is one object for each name, which is open until
     * each call has its `close`. With `create`, a document that is missing is created, also if it was opened without
     * `create` before. Throws with the code `already_open` if the document is open with another `watch`.
     */
    open(name: string, options?: { create?: boolean; watch?: boolean }): CaretDocument
    list(options?: { prefix?: string; after?: string; limit?: number }): Promise<{ docs: Entry[]; more: boolean }>
    /** Returns a function that stops following. */
    follow(prefix: string, listener: (event: FollowEvent) => void): () => void
    read(name: string, where?: { rev?: number; at?: Date }): Promise<Snapshot>
    /** A part of the text, from `start` to `end`. The server shortens a part of more than 64 KiB. */
    read(name: string, where: { rev?: number; at?: Date; start: number; end?: number }): Promise<TextPart>
    /** The oldest revision is first. Without `after`, from the first one that is kept. Without `limit`, all of them. */
    history(name: string, options?: { after?: number; edits?: boolean; limit?: number }): AsyncIterable<Revision>
    restore(name: string, rev: number): Promise<void>
    /** The named revisions of a document, oldest first. */
    tags(name: string): Promise<Tag[]>
    /** Names a revision. A name has at most 64 letters from A to Z, digits, '-', '_' and '.'. A letter is first. */
    tag(name: string, rev: number, as: string): Promise<void>
    /** Removes the name of a revision. The revision stays. */
    untag(name: string, tag: string): Promise<void>
    /** The notes of a document, as an object to read and write them. */
    notes(name: string): Promise<Notes>
    /** Copies the text and the named revisions of a document under a new name. */
    copy(name: string, to: string): Promise<void>
    rename(name: string, to: string): Promise<void>
    delete(name: string): Promise<void>
    /** The deleted documents that can still be brought back, and that the user may write. The oldest document is first. */
    deleted(options?: { prefix?: string }): AsyncIterable<DeletedEntry>
    /** Brings a deleted document back under its name. */
    undelete(number: number): Promise<void>
    /**
     * Makes a link to a document, for everybody who gets its token: with it, `connect` opens this document only. `seconds`
     * says how long it is valid, at most 30 days. The server keeps no copy of the token.
     */
    addLink(name: string, options: { rights: 'read' | 'write'; seconds: number }): Promise<{ number: number; token: string }>
    /** The links to a document. The oldest link is first. */
    links(name: string): AsyncIterable<DocumentLink>
    /** Ends a link. Everybody who uses it is disconnected. */
    endLink(name: string, number: number): Promise<void>
    /** Waits until everything is saved, but for at most 4 s, and ends the connection for good. */
    close(): Promise<void>
    addEventListener<Type extends keyof CaretEventMap>(
        type: Type, listener: (event: CaretEventMap[Type]) => void, options?: boolean | AddEventListenerOptions): void
    addEventListener(
        type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void
}

/** A note on words of a document, an answer to a note, or a suggestion. */
export interface Note {
    /** Its number in the document. */
    number: number
    /** Grows with each change of the note. */
    version: number
    /** The note that it answers. */
    parent?: number
    /** The text that `range` and `edits` count in, in UTF-16 units. */
    revision: number
    /** Its words. Empty if somebody deleted them, and missing if it is about the whole document, an answer or final. */
    range?: [number, number]
    /** The words when it was written. */
    quote: string
    text: string
    /** The change that it suggests. */
    edits?: Edit[]
    user: string
    time: Date
    edited?: Date
    /** `accepted` and `rejected` are final. */
    state: 'open' | 'resolved' | 'accepted' | 'rejected'
    /** The revision that an accepted suggestion became. */
    accepted?: number
}

/** What a change names of the note that was seen. If the note has another version now, the change is refused. */
export type SeenNote = Pick<Note, 'number' | 'version'>

export interface WrittenNote extends SeenNote {
    /** The revision that an accepted suggestion became. Missing if it changed nothing. */
    revision?: number
}

/** The notes of a document. */
export interface Notes {
    /**
     * All notes, or with the `count` of an earlier list only those that were written or changed since. With `whole`, the
     * list has all of them, because some were removed.
     */
    list(options?: { since?: number }): Promise<{
        count: number; rights: 'read' | 'note' | 'write'; whole: boolean; notes: Note[]
    }>
    /** Writes a note on the words in `range`, in the text at `revision`, or on the whole document. */
    add(text: string, where?: { range: [number, number]; revision: number }): Promise<WrittenNote>
    /** Suggests edits of the text at `revision`. */
    suggest(edits: Edit[], options: { revision: number; text?: string }): Promise<WrittenNote>
    answer(number: number, text: string): Promise<WrittenNote>
    change(note: SeenNote, text: string): Promise<WrittenNote>
    resolve(note: SeenNote): Promise<WrittenNote>
    reopen(note: SeenNote): Promise<WrittenNote>
    /** Commits the change of a suggestion. */
    accept(note: SeenNote): Promise<WrittenNote>
    reject(note: SeenNote): Promise<WrittenNote>
    /** Removes a note and its answers. */
    remove(note: SeenNote): Promise<void>
}

export interface DocumentEventMap {
    /** The text has changed. `own`: by a call of this object, or in a bound field. */
    change: Event & { edits: Edit[]; own: boolean }
    saving: Event & { saving: Saving }
    peers: Event & { peers: Peer[] }
    rights: Event & { rights: 'none' | 'read' | 'write' }
    renamed: Event & { name: string; from: string }
    gone: Event & { reason: string }
    /** The client has stored the unsaved edits on this device, or could not. `isKept` is that of the document. */
    keeping: Event & { isKept: boolean; error: CaretError | null }
}

export class CaretDocument extends EventTarget {
    private constructor()
    readonly name: string
    /** The text with all edits, saved or not. */
    readonly text: string
    readonly length: number
    readonly revision: number
    readonly rights: 'none' | 'read' | 'write'
    readonly saving: Saving
    readonly peers: Peer[]
    readonly selections: Range[]
    /** The edits that are not saved. Their offsets refer to the saved text. */
    readonly unsaved: Edit[]
    /**
     * Whether the unsaved edits would survive if the page ended now. If there are none, it is false only until edits that
     * were undone or dropped are removed from this device.
     */
    readonly isKept: boolean
    /** Whether the text comes from kept edits, and the server has not opened the document since. */
    readonly isRestored: boolean
    readonly canUndo: boolean
    readonly canRedo: boolean
    edit(edits: Edit[]): void
    /** Only the difference is sent, so carets and edits of others stay. */
    replaceText(text: string): void
    append(text: string): void
    select(selections: Range[]): void
    undo(): void
    redo(): void
    /** Sends refused edits again. */
    retry(): void
    /** Drops all edits that are not saved. */
    discard(): void
    /**
     * Shows the document in a textarea, and enters what the user types there, also what they have typed before this call.
     */
    bind(field: HTMLTextAreaElement, options?: BindOptions): Binding
    /** The same in another editor. `surface` is the adapter of the editor, which you write. */
    bind(surface: Surface, options?: BindOptions): SurfaceBinding
    opened(): Promise<void>
    saved(): Promise<void>
    /**
     * Waits until everything is saved, but for at most 4 s, and closes the document if each call of `Caret.open` has its
     * `close` now. Bound fields are read-only at once. If `Caret.open` opens the document again before everything is
     * saved, it stays open, and the fields can be bound again. All but the name of a closed document throws `closed`.
     */
    close(): Promise<void>
    addEventListener<Type extends keyof DocumentEventMap>(
        type: Type, listener: (event: DocumentEventMap[Type]) => void, options?: boolean | AddEventListenerOptions): void
    addEventListener(
        type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void
}

export interface BindOptions {
    /** Whether the field shows the carets and selections of others. True if it is missing. */
    overlay?: boolean
    /** Whether these carets show names. True if it is missing. */
    labels?: boolean
}

/** A textarea that shows a document. Edits by others appear with the next frame. */
export class Binding {
    private constructor()
    readonly surface: HTMLTextAreaElement
    /** Makes the field an ordinary one again, which keeps its text. Closing the document makes it read-only instead. */
    release(): void
}

/** An editor that shows a document. Edits by others appear with the next frame. */
export interface SurfaceBinding {
    readonly surface: Surface
    /** Makes the editor an ordinary one again, which keeps its text. Closing the document makes it read-only instead. */
    release(): void
}

/** The carets and selections of another user, for `Surface.paint`. */
export interface Person {
    session: string
    /** Empty with `labels: false`. */
    name: string
    /** Such as '#1074cc', and safe to use in a style. */
    color: string
    /** Black or white, whichever is easier to read on the color. */
    textColor: string
    selections: Range[]
}

/**
 * The adapter of an editor that is no textarea, such as a code editor. Extend this class and pass an instance to `bind`.
 * Offsets count UTF-16 code units, and line ends are '\n'.
 */
export abstract class Surface {
    // You write these methods, and the binding calls them.

    /** The text that the editor shows. */
    abstract read(): string
    /**
     * Changes the text, and then selects. All offsets of the edits refer to the text before the call, and those of the
     * selections to the text after it. The editor must neither move its view nor enter this into its own history.
     */
    abstract apply(edits: Edit[], selections: Range[]): void
    /** What the user has selected. Only the caret of a user who has selected nothing. */
    abstract selections(): Range[]
    /** Makes the editor read-only, or not if `reason` is null. The reason is a sentence for people who do not see. */
    abstract setReadOnly(reason: string | null): void
    /** Shows the carets and selections of others, instead of those of the last call. Does nothing by default. */
    paint(people: Person[]): void
    /** The binding has ended: remove your listeners. Does nothing by default. */
    released(): void

    // You call these methods. Calls do nothing while `apply` runs, and before `bind` and after `release`.

    /**
     * The user, or a script of the page, has changed the text. The offsets of the edits refer to the text before them.
     * Without `edits`, the binding finds them by comparing the text with the one before.
     */
    edited(edits?: Edit[]): void
    /** The user has moved the caret, or the editor has the focus now. */
    selected(): void
    /** The user wants to undo or redo. The editor itself must not do it, because it would undo edits by others. */
    undo(): void
    redo(): void
    /** An input method composes a character, or has ended. Meanwhile, edits by others wait for at most 5 s. */
    composing(isComposing: boolean): void
}

/** Why a call or a request failed. docs/errors.md lists the codes of the server. */
export class CaretError extends Error {
    /** A code of the server, or a word of this client. */
    readonly code: ErrorCode | (string & {})
    /** After how many milliseconds to try again, if the server said so. */
    readonly retryAfter?: number
}

/** The rules of edits. The server runs the same code. */
export interface Core {
    diff(oldText: string, newText: string): Edit[]
    apply(text: string, change: Edit[]): string
    rebase(change: Edit[], over: Edit[], tie: 'otherFirst' | 'selfFirst'): Edit[]
    compose(first: Edit[], second: Edit[]): Edit[]
    invert(change: Edit[], text: string): Edit[]
    mapCaret(caret: number, change: Edit[]): number
    mapSelection(selection: Range, change: Edit[]): Range
    normalise(edits: Edit[]): Edit[]
    convert(text: string, offset: number, from: Unit, to: Unit): number
    validate(text: string | Uint8Array): Record<Unit, number>
}

export type Unit = 'utf-8' | 'utf-16' | 'utf-32'
