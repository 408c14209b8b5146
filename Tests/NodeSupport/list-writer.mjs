// Types words into a document until its input ends, with the addresses of several servers over one database.
//
//     node list-writer.mjs DOCUMENT ADDRESS...
//
// Word n is '<node n>'. At the end, the program waits until all words are saved, and prints their number.
import { connect } from '../../Clients/javascript/caret-node.js'

const [name, ...servers] = process.argv.slice(2)
const caret = await connect(servers)
const document = caret.open(name, { create: true })
await document.opened()
let count = 0
const typing = setInterval(() => document.append(`<node ${++count}>`), 5)
for await (const chunk of process.stdin) void chunk
clearInterval(typing)
await document.saved()
console.log(count)
await caret.close()
