import CLinux
import Dispatch
import Glibc
import Synchronization

/// Clients that read one long text again and again, on a thread of their own. Each waits for the whole answer before it
/// asks again.
final class TextReaders: Sendable {
    enum Way: CaseIterable {
        case lines, webSocket, http

        var name: String {
            switch self {
            case .lines: "lines"
            case .webSocket: "WebSocket"
            case .http: "HTTP"
            }
        }
    }

    private let isEnding = Atomic(false)
    private let answered = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)

    /// How many answers have arrived.
    var answers: Int { answered.load(ordering: .relaxed) }

    init(_ count: Int, of document: String, over way: Way, port: UInt16) {
        DispatchQueue(label: "text readers").async { [self] in
            let readers = (0..<count).map { TextReader($0, document, over: way, port: port) }
            run(readers)
            ended.signal()
        }
    }

    /// Disconnects all clients.
    func end() {
        isEnding.store(true, ordering: .relaxed)
        ended.wait()
    }

    private func run(_ readers: [TextReader]) {
        let poller = epoll_create1(0)
        var events = [epoll_event](repeating: epoll_event(), count: readers.count)
        for (index, reader) in readers.enumerated() {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue
            event.data.u64 = UInt64(index)
            epoll_ctl(poller, EPOLL_CTL_ADD, reader.channel.socket, &event)
            reader.ask()
        }
        withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
            while !isEnding.load(ordering: .relaxed) {
                let ready = epoll_wait(poller, &events, Int32(events.count), 100)
                for event in events.prefix(Int(max(0, ready))) {
                    let reader = readers[Int(event.data.u64)]
                    if !reader.receive(in: buffer) { continue }
                    answered.add(1, ordering: .relaxed)
                    reader.ask()
                }
            }
        }
        close(poller)
    }
}

/// A client that reads one long text.
final class TextReader {
    let channel: ClientChannel
    private let request: String
    /// The first bytes of an answer, from which its length is known.
    private var start: [UInt8] = []
    private var received = 0
    private var length: Int?

    /// The head of an answer over HTTP is shorter.
    private static let mostStart = 1 << 10

    /// Reads the newest text, or that of a revision.
    init(_ number: Int, _ document: String, at revision: Int? = nil, over way: TextReaders.Way, port: UInt16)
    {
        channel = ClientChannel(to: port, over: way == .webSocket ? .webSocket : .lines)
        if way == .http {
            let query = revision.map { "?rev=\($0)" } ?? ""
            request =
                "GET /docs/\(document)\(query) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r"
        } else {
            channel.open(as: "bench-reader-\(number)")
            let at = revision.map { #","rev":\#($0)"# } ?? ""
            request = #"{"type":"read","doc":"\#(document)"\#(at)}"#
        }
    }

    func ask() {
        (start, received, length) = ([], 0, nil)
        channel.send(request)
    }

    /// Returns whether the answer is complete.
    func receive(in buffer: UnsafeMutableRawBufferPointer) -> Bool {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<channel.read(into: buffer)])
        received += bytes.count
        if start.count < TextReader.mostStart { start += bytes.prefix(TextReader.mostStart) }
        // A line ends with its only line feed.
        if start[0] == UInt8(ascii: "{") { return bytes.last == UInt8(ascii: "\n") }
        if length == nil { length = start[0] == UInt8(ascii: "H") ? lengthOfResponse : lengthOfFrame }
        return received == length
    }

    private var lengthOfFrame: Int? {
        guard start.count >= 10 else { return nil }
        precondition(start[0] == 0x81 && start[1] == 127, "the server sent another frame than a long message")
        return 10 + start[2..<10].reduce(0) { $0 << 8 | Int($1) }
    }

    private var lengthOfResponse: Int? {
        guard let end = start.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        return start.withUnsafeBytes { end.upperBound + $0.number(at: $0.end(of: "Content-Length: ")) }
    }
}
