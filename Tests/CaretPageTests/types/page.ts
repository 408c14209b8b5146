// A page that binds a textarea and another editor. It is only type-checked: types.mjs says how.
// Each line below '@ts-expect-error' is a mistake that the compiler must find.
import { Binding, Caret, Edit, Person, Range, Surface, SurfaceBinding } from '../../../Clients/javascript/caret.js'

class Lines extends Surface {
    read() { return '' }
    apply(edits: Edit[], selections: Range[]) { for (const { range: [start, end], text } of edits) start + end + text.length }
    selections(): Range[] { return [[0, 0]] }
    setReadOnly(reason: string | null) { reason?.length }
    paint(people: Person[]) { for (const { session, name, color, textColor } of people) session + name + color + textColor }

    typed() {
        this.edited([{ range: [0, 0], text: 'a' }])
        this.edited()
        this.selected()
        this.composing(false)
        this.undo()
        this.redo()
    }
}

// @ts-expect-error
class Incomplete extends Surface { read() { return '' } }

const caret = await Caret.connect(undefined, { token: async () => null, user: 'ann' })
caret.verified?.name?.length
// @ts-expect-error
caret.verified = { name: 'Ann' }
caret.addEventListener('signedOut', ({ reason }) => reason === 'token_ended')
for (const kept of await caret.kept()) if (kept.state === 'unknownUser') await caret.claim(kept)
await Caret.connect(undefined, { token: () => 'token' })
// @ts-expect-error
await Caret.connect(undefined, { token: () => 5 })

const document = caret.open('agenda')
document.peers.filter(({ verified, name }) => verified && name)
const binding: Binding = document.bind(window.document.querySelector('textarea')!, { overlay: true, labels: false })
binding.surface.value.length
binding.release()
const other: SurfaceBinding = document.bind(new Lines())
other.release()
// @ts-expect-error
document.bind(window.document.querySelector('div')!)
