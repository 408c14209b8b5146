// The components of react-app.jsx. react.mjs also renders them in Node, as a server does.
import { CaretProvider, useDocument } from '@caret-text/client/react'

export function App({ client, fields }) {
    return <CaretProvider client={client}>{fields.map(([name, key]) => <Field key={key} id={key} name={name} />)}</CaretProvider>
}

function Field({ id, name }) {
    const { bind, text, people, saving, link } = useDocument(name, { create: true })
    return <div>
        <textarea id={id} ref={bind} />
        <output id={`${id}-state`}>{`${saving.state}, ${link.state}, ${people.length} others`}</output>
        <pre id={`${id}-text`}>{text}</pre>
    </div>
}
