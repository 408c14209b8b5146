// The interface of caret-node.js: that of caret.js, over TCP in Node.
import { Caret, Options, Transport } from './caret.js'

export * from './caret.js'

/** Loads the module, and begins to connect over TCP. */
export function connect(host?: string, port?: number, options?: Options): Promise<Caret>

/**
 * The same with several servers over one database: 'host', 'host:port' or '[address]:port' each. The port is 22738 if it
 * is missing.
 */
export function connect(servers: readonly string[], options?: Options): Promise<Caret>

/** The transport over TCP. */
export function lines(host: string, port: number): () => Transport
