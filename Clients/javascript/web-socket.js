// The connection of a browser: a WebSocket. Each of its messages is one message of the protocol.

/** The transport to the server at `url`. */
export function webSocket(url) { return new WebSocketTransport(url) }

class WebSocketTransport {
    #url
    #socket = null

    constructor(url) {
        this.#url = new URL('/ws', url)
        this.#url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    }

    start({ opened, received, closed }) {
        this.#socket = new WebSocket(this.#url, 'caret.1')
        this.#socket.onopen = opened
        this.#socket.onmessage = ({ data }) => received(data)
        this.#socket.onclose = ({ reason }) => closed(reason || 'the server closed the connection')
    }

    send(line) {
        // Between the end of a connection and its event, the browser would only print a warning.
        if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(line)
    }

    close() { this.#socket.close() }
}
