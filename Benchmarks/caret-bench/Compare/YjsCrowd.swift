import Glibc

// Load on a Yjs server. The server sends each update to all clients. The writer receives its own update too,
// which counts as its ack.
extension CrowdLoad {
    /// Makes a document with a text, and waits until the server has it.
    static func makeInYjs(_ name: String, _ text: String, port: UInt16) {
        let socket = connected(to: port)
        defer { close(socket) }
        WebSocket.begin(on: socket, path: name)
        WebSocket.send(YjsMessage.text(text), to: socket)
        var input: [UInt8] = []
        while !hasUpdate(input) {
            let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, read(socket, buffer.baseAddress, buffer.count))
            }
            precondition(!piece.isEmpty, "the server closed a connection")
            input += piece
        }
    }

    private static func hasUpdate(_ input: [UInt8]) -> Bool {
        input.withUnsafeBytes { bytes in
            var start = 0
            while let frame = WebSocket.frame(in: bytes, at: start) {
                if frame.payload.starts(with: [YjsMessage.sync, YjsMessage.update]) { return true }
                start += frame.count
            }
            return false
        }
    }

    func greetAsYjs(_ index: Int) {
        WebSocket.begin(on: peers[index].socket, path: Crowd.name(of: peers[index].document))
        WebSocket.send(YjsMessage.askingForAll, to: peers[index].socket)
    }

    mutating func handleYjs(_ message: UnsafeRawBufferPointer, _ index: Int, _ now: Double) {
        // Ignores presence messages, and requests that the server makes.
        guard message.count > 2, message[0] == YjsMessage.sync, message[1] != YjsMessage.ask else { return }
        if message[1] == YjsMessage.answer {
            opening -= 1
            return
        }
        let letter = message[message.count - 2]
        let next = peers[index].position + 1
        if letter == peers[index].push?.letter {
            advance(index, to: next, by: index)
            acked(index, at: now)
        } else {
            delivered(next, index, now) { letter }
        }
    }
}
