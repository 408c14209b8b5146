// The interface of vue.js.
import type { ComputedRef, Ref, WritableComputedRef } from 'vue'
import { ClientSource, DocumentCalls, DocumentOptions, DocumentState } from './shared-document.js'

export { ClientSource, DocumentCalls, DocumentOptions, DocumentState } from './shared-document.js'

/** The client of this component and of all below. Call it in `setup`. */
export function provideCaret(client: ClientSource): void

/** A document, while the component is mounted. All components with this name share it. */
export function useDocument(name: string | Ref<string> | (() => string), options?: DocumentOptions): DocumentCalls & {
    readonly [Member in keyof Omit<DocumentState, 'text'>]: ComputedRef<DocumentState[Member]>
} & {
    /** A new value replaces the text of the document; only the difference is sent. */
    readonly text: WritableComputedRef<string>
    /** `<textarea :ref="bind"></textarea>` */
    bind(field: unknown): void
}
