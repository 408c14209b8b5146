// Components of React and Vue. It is only type-checked: types.mjs says how.
// Each line below '@ts-expect-error' is a mistake that the compiler must find.
/// <reference path="vue-stub.d.ts" />
import { Caret, Surface } from '../../../Clients/javascript/caret.js'
import { CaretProvider, useDocument } from '../../../Clients/javascript/react.js'
import { provideCaret, useDocument as useInVue } from '../../../Clients/javascript/vue.js'

const connect = () => Caret.connect('http://127.0.0.1:22738')

CaretProvider({ client: connect, children: ['a'] })
CaretProvider({ client: await connect() })
// @ts-expect-error
CaretProvider({ client: 'http://127.0.0.1:22738' })
// @ts-expect-error
CaretProvider({})

const agenda = useDocument('agenda', { create: true })
agenda.text.length + agenda.people.filter(({ name }) => name === 'Ann').length
if (agenda.saving.state === 'refused') agenda.saving.code?.length
if (agenda.link.state === 'waiting') agenda.link.until?.getTime()
agenda.edit([{ range: [0, 0], text: 'a' }])
agenda.replaceText('b')
if (agenda.canUndo) agenda.undo()
agenda.document?.saved()
const field: (field: HTMLTextAreaElement | null) => void = agenda.bind
const editor: (surface: Surface) => void = agenda.bind
// @ts-expect-error
agenda.bind(window.document.querySelector('div')!)
// @ts-expect-error
agenda.text = 'c'
// @ts-expect-error
useDocument('agenda', { watch: true })

provideCaret(connect)
const notes = useInVue(() => 'notes')
notes.text.value = notes.text.value.toUpperCase()
notes.people.value.length + (notes.saving.value.state === 'saved' ? 1 : 0)
notes.append('d')
notes.bind(null)
// @ts-expect-error
notes.people.value = []
