// The interface of react.js. It needs no types of React.
import { Bind, ClientSource, DocumentCalls, DocumentOptions, DocumentState } from './shared-document.js'

export { Bind, ClientSource, DocumentCalls, DocumentOptions, DocumentState } from './shared-document.js'

/** The client of all components below. It is that of the first render: to pass another, change the `key` too. */
export function CaretProvider(props: { client: ClientSource; children?: any }): any

/** A document, while the component is mounted. All components with this name share it. The calls never change. */
export function useDocument(name: string, options?: DocumentOptions): DocumentState & DocumentCalls & {
    /** `<textarea ref={bind} />` */
    readonly bind: Bind
}
