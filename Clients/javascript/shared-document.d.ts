// What the bindings for React and Vue have in common.
import { Caret, CaretDocument, Link, Peer, Saving, Surface } from './caret.js'

/**
 * A client, a promise of one, or a function that returns one of them. The function is called once, in the browser. If
 * two providers have the same function, they share its client, which is closed when no component uses it any more. The
 * app itself closes a client that it has passed.
 */
export type ClientSource = Caret | Promise<Caret> | (() => Caret | Promise<Caret>)

export interface DocumentOptions {
    /** Whether the document is created if it is missing. */
    create?: boolean
}

/** What a component shows of a document. */
export interface DocumentState {
    readonly name: string
    /** The text with all edits, saved or not. Empty until it has arrived, and in what a server renders. */
    readonly text: string
    /** The others who have the document open. */
    readonly people: readonly Peer[]
    readonly saving: Saving
    readonly link: Link
    readonly rights: 'none' | 'read' | 'write'
    readonly canUndo: boolean
    readonly canRedo: boolean
    /** The document itself, for everything else. Null until there is a client. */
    readonly document: CaretDocument | null
}

/** What a component does with a document. These methods throw until there is a client. */
export type DocumentCalls = Pick<CaretDocument,
    'edit' | 'replaceText' | 'append' | 'select' | 'undo' | 'redo' | 'retry' | 'discard'>

/** Shows the document in a field, as a `ref`. The field is read-only until the text has arrived. */
export type Bind = (field: HTMLTextAreaElement | Surface | null) => void
