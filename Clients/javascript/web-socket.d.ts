// The interface of web-socket.js: the transport that caret.js uses by default.
import { Transport } from './caret.js'

export function webSocket(url: URL): Transport
