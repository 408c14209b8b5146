// A small WebSocket client for text messages: Node 18 has none.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { within } from './suite.mjs'

/**
 * Opens a WebSocket with the options of `https.request`. `secure: false` opens one without TLS. The result has
 * `status`, and after status 101 also `send(message)`, `receive(type)`, `onMessage(listener)`,
 * `onClose(listener)` and `close()`.
 */
export async function openWebSocket({ secure = true, headers = {}, ...options }) {
    const request = (secure ? secureRequest : plainRequest)({
        path: '/ws', ...options, agent: false,
        headers: {
            Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13',
            'Sec-WebSocket-Key': randomBytes(16).toString('base64'), ...headers,
        },
    })
    request.end()
    const answered = new Promise((done, failed) => {
        request.once('upgrade', (response, socket, head) => done({ status: response.statusCode, socket, head }))
        request.once('response', (response) => { response.destroy(), done({ status: response.statusCode }) })
        request.once('error', failed)
    })
    const { status, socket, head } = await within(answered, 'the answer to a handshake')
    return socket ? { status, ...conversation(socket, head) } : { status }
}

function conversation(socket, head) {
    let bytes = Buffer.alloc(0)
    const messages = []
    socket.on('error', () => {}).on('data', add)
    add(head)

    function add(more) {
        bytes = Buffer.concat([bytes, more])
        for (let message; (message = takeMessage()) !== undefined;) messages.push(JSON.parse(message))
        socket.emit('messages')
    }

    /** Removes the first whole message from `bytes`. The server sends each message in one frame without a mask. */
    function takeMessage() {
        if (bytes.length < 2) return undefined
        const short = bytes[1] & 0x7f
        const start = short < 126 ? 2 : short === 126 ? 4 : 10
        if (bytes.length < start) return undefined
        const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
        if (bytes.length < start + length) return undefined
        const frame = bytes.subarray(0, start + length)
        bytes = bytes.subarray(start + length)
        return frame[0] === 0x81 ? frame.subarray(start).toString() : takeMessage()
    }

    return {
        send(message) {
            const text = Buffer.from(JSON.stringify(message))
            // Firefox takes a mask of zeros for a missing one.
            const mask = randomBytes(4).map((byte) => byte | 1)
            for (let index = 0; index < text.length; index++) text[index] ^= mask[index % 4]
            socket.write(Buffer.concat([Buffer.from([0x81]), lengthOf(text), mask, text]))
        },
        /** Calls `listener` with each message, instead of keeping it for `receive`. */
        onMessage(listener) {
            const hand = () => { for (const message of messages.splice(0)) listener(message) }
            socket.on('messages', hand)
            hand()
        },
        onClose: (listener) => void socket.once('close', listener),
        async receive(type) {
            const next = async () => {
                for (; ; await once(socket, 'messages')) {
                    const index = messages.findIndex((message) => message.type === type)
                    if (index >= 0) return messages.splice(0, index + 1)[index]
                }
            }
            return await within(next(), `a message ${type}`)
        },
        close: () => socket.destroy(),
    }
}

/** The length of a message in the head of its frame, with the bit for a mask. */
function lengthOf(text) {
    if (text.length < 126) return Buffer.from([0x80 | text.length])
    if (text.length < 0x10000) return Buffer.from([0xfe, text.length >> 8, text.length & 0xff])
    const length = Buffer.alloc(9, 0xff)
    length.writeBigUInt64BE(BigInt(text.length), 1)
    return length
}
