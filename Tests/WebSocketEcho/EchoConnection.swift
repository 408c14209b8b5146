import CaretServer
import CaretWeb
import Glibc

/// One client: reads its handshake, and then sends its messages back until it closes the WebSocket.
struct EchoConnection {
    let socket: Int32
    private var requests = RequestReader()
    private var frames = FrameReader(acceptsBinary: true)
    private var message: [UInt8] = []
    private var isOpen = false
    private var isOver = false

    init(socket: Int32) { self.socket = socket }

    mutating func run() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isOver {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            buffer.withUnsafeBytes { bytes in
                var rest = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                if !isOpen { open(&rest) }
                if isOpen { echo(&rest) }
            }
        }
        shutdown(socket, Int32(SHUT_WR))
        // The client closes the connection after it has read the close frame.
        while recv(socket, &buffer, buffer.count, 0) > 0 {}
    }

    private mutating func open(_ rest: inout UnsafeRawBufferPointer) {
        do {
            guard let head = try requests.next(of: &rest) else { return }
            let response = try Handshake.response(to: head, sha1: SHA1.digest)
            send(response.bytes(at: 0, to: Response.Recipient(isHead: false, closes: false)))
            isOpen = true
        } catch {
            print("the handshake failed: \(error)")
            isOver = true
        }
    }

    private mutating func echo(_ rest: inout UnsafeRawBufferPointer) {
        do throws(FrameFault) {
            while !isOver, let event = try frames.next(of: &rest) {
                switch event {
                case .content(let bytes): message += bytes
                case .messageEnd:
                    send(FrameWriter.message(message, isBinary: frames.isBinary))
                    message = []
                case .ping(let content): send(FrameWriter.pong(content))
                case .pong: break
                case .close(let code): end(code, "")
                }
            }
        } catch {
            end(error.code, error.message)
        }
    }

    private mutating func end(_ code: CloseCode?, _ reason: String) {
        send(FrameWriter.close(code, reason: reason))
        isOver = true
    }

    private mutating func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, 0) }
            if count <= 0 {
                isOver = true
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
