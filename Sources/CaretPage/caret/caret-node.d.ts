// The interface of caret-node.js: that of caret.js, over TCP in Node.
import { Caret, Options, Transport } from './caret.js'

export * from './caret.js'

/** Loads the module, and begins to connect over TCP. */
export function connect(host?: string, port?: number, options?: Options): Promise<Caret>

/** The transport over TCP. */
export function lines(host: string, port: number): () => Transport
