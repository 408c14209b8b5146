// Caret for React 18.
//
//     const connect = () => Caret.connect('http://127.0.0.1:22738')
//
//     <CaretProvider client={connect}><Agenda /></CaretProvider>
//
//     function Agenda() {
//         const { bind, saving } = useDocument('agenda', { create: true })
//         return <><textarea ref={bind} /> {saving.state}</>
//     }
//
// react.d.ts lists the whole interface. This file does not import the client, so an app may use caret.js or inline.js.
import {
    createContext, createElement, useCallback, useContext, useEffect, useMemo, useState, useSyncExternalStore,
} from 'react'
import { FieldBinder } from './bound-field.js'
import { SharedDocuments } from './shared-document.js'

const Documents = createContext(null)

/** The client of all components below. It connects after the first render in a browser. */
export function CaretProvider({ client, children }) {
    const [documents] = useState(() => new SharedDocuments(client))
    useEffect(() => documents.use(), [documents])
    return createElement(Documents.Provider, { value: documents }, children)
}

/** A document, while the component is mounted: its text, people and saving state, and what changes it. */
export function useDocument(name, { create = false } = {}) {
    const documents = useContext(Documents)
    if (!documents) throw new Error('useDocument needs a <CaretProvider> around the component')
    const document = documents.get(name)
    const subscribe = useCallback((listener) => document.subscribe(listener, create), [document, create])
    const value = useSyncExternalStore(subscribe, () => document.value, () => document.initialValue)
    const [binder] = useState(() => new FieldBinder())
    const bind = useCallback((field) => binder.set(field, document, create), [binder, document, create])
    return useMemo(() => ({ ...value, bind }), [value, bind])
}
