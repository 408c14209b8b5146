import CLinux
import Glibc

/// Clients that send the same request again and again. Each waits for the whole answer before it
/// sends the request again.
struct RequestLoad: ~Copyable {
    /// What the clients send. All answers to it have the same length.
    enum Request {
        /// A request over HTTP.
        case get(path: String)
        /// A line, after hello.
        case line(String)
    }

    private let channels: [ClientChannel]
    private let request: [UInt8]
    /// How each answer begins.
    private let beginning: [UInt8]
    /// The bytes of an answer.
    private let answerBytes: Int
    private let poller: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private let buffer: UnsafeMutableRawBufferPointer
    /// For each client, how many bytes of its answer are missing; 0 if it waits for no answer.
    private var missing: [Int]

    init(_ clients: Int, _ kind: Request, port: UInt16) {
        channels = (0..<clients).map { number in
            let channel = ClientChannel(to: port, over: .lines)
            if case .line = kind { channel.open(as: "bench-reader-\(number)") }
            return channel
        }
        let lines =
            switch kind {
            case .get(let path):
                ["GET \(path) HTTP/1.1", "Host: 127.0.0.1", "User-Agent: caret-bench", "Accept: */*", "", ""]
            case .line(let line): [line, ""]
            }
        let (end, start) =
            switch kind {
            case .get: ("\r\n", "HTTP/1.1 200 OK\r\n")
            case .line: ("\n", #"{"type":"text","#)
            }
        (request, beginning) = (Array(lines.joined(separator: end).utf8), Array(start.utf8))
        poller = epoll_create1(0)
        events = .allocate(capacity: 256)
        buffer = .allocate(byteCount: 1 << 18, alignment: 16)
        missing = [Int](repeating: 0, count: clients)
        writeWhole(request, to: channels[0].socket)
        answerBytes = RequestLoad.lengthOfAnswer(on: channels[0], buffer)
        for (index, channel) in channels.enumerated() {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(index)
            epoll_ctl(poller, EPOLL_CTL_ADD, channel.socket, &event)
        }
    }

    deinit {
        close(poller)
        events.deallocate()
        buffer.deallocate()
    }

    /// Reads a whole answer, and returns its length.
    private static func lengthOfAnswer(
        on channel: ClientChannel, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var filled = 0
        while true {
            filled += channel.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
            if let length = lengthOfAnswer(in: bytes) {
                precondition(length == filled, "the server sent \(filled) bytes instead of \(length)")
                return length
            }
        }
    }

    /// The length of the answer that begins with these bytes; nil if the answer is not complete.
    private static func lengthOfAnswer(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.starts(with: "HTTP/".utf8) else {
            return bytes.last == UInt8(ascii: "\n") ? bytes.count : nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.utf8.firstRange(of: "\r\n\r\n".utf8) else { return nil }
        let head = text.utf8.distance(from: text.startIndex, to: end.upperBound)
        let length = head + bytes.number(at: bytes.end(of: "Content-Length: "))
        return bytes.count < length ? nil : length
    }

    /// Lets the clients send requests for this time in nanoseconds. Returns the number of answers, and the
    /// time until the last one.
    mutating func run(for nanoseconds: Double) -> (answers: Int, wall: Double) {
        let start = wallNanoseconds()
        var (answers, waiting) = (0, channels.count)
        for index in channels.indices { sendRequest(index) }
        while waiting > 0 {
            let ready = epoll_wait(poller, events, 256, 20_000)
            precondition(ready > 0, "the server sent nothing for 20 s")
            for event in 0..<Int(ready) {
                let index = Int(events[event].data.u64)
                if !receive(index) { continue }
                answers += 1
                if wallNanoseconds() < start + nanoseconds { sendRequest(index) } else { waiting -= 1 }
            }
        }
        return (answers, wallNanoseconds() - start)
    }

    private mutating func sendRequest(_ index: Int) {
        missing[index] = answerBytes
        writeWhole(request, to: channels[index].socket)
    }

    /// Returns whether the answer is complete.
    private mutating func receive(_ index: Int) -> Bool {
        let count = channels[index].read(into: buffer)
        let answer = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        let isBeginning = missing[index] == answerBytes
        precondition(
            count <= missing[index] && (!isBeginning || answer.starts(with: beginning.prefix(count))),
            "the server sent an unexpected answer: \(answer.string)")
        missing[index] -= count
        return missing[index] == 0
    }
}
