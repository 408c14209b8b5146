import CaretLog
import CaretRooms
import CaretWire

/// The bytes under way in one direction.
struct Pipe {
    private var bytes: [UInt8] = []
    private var start = 0
    /// If true, all bytes that are sent from now on are lost.
    var isDead = false
    /// Whether the sender has ended its output.
    var hasEnded = false
    /// Whether the receiver has been notified that the output has ended.
    var isEndDelivered = false
    var isScheduled = false
    /// Whether the receiver has paused reading.
    var isPaused = false

    var count: Int { bytes.count - start }

    mutating func append(_ more: [UInt8]) {
        if isDead { return }
        bytes.append(contentsOf: more)
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let piece = Array(bytes[start..<start + count])
        start += count
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        }
        return piece
    }

    mutating func drop() {
        bytes = []
        start = 0
    }
}

/// When the server sent a line: the serial of the ledger and the time.
struct SentLine {
    let serial: Int
    let time: Int64
}

/// One connection: its state in the network, and what its client has received.
final class Link {
    let number: Int
    let client: Int
    /// The node that the client connects to.
    let node: Int
    var port: SimulatedPort?
    /// From the client to the server.
    var up = Pipe()
    /// From the server to the client.
    var down = Pipe()
    /// The most bytes that the network holds for a client that does not read.
    let buffer: Int
    /// Nil if the client speaks lines or HTTP.
    var webSocket: ClientWebSocket?
    /// Nil if the client speaks lines or WebSocket.
    var http: ClientHTTP?
    /// The beginning of a line or of a frame that the server sends in pieces.
    var incompleteOutput: [UInt8] = []
    /// Bytes that the server has written and that have not arrived.
    var buffered = 0
    /// By how many bytes a planted fault has made responses longer than the server made them. These bytes are on
    /// the way, and the server does not count them.
    var addedBytes = 0
    /// When the server sent each line that has not arrived. A response counts as one line.
    var sent = SerialQueue<SentLine>()
    /// The connection is over for both sides.
    var isGone = false
    var isWelcomed = false

    var framer: LineFramer
    var decoder = MessageDecoder()
    var writer = JSONWriter()
    var streams: [WireString: TrackedStream] = [:]
    var awaited: [RequestID: PendingRequest] = [:]
    /// For each name, the document in the last follow event that the client received. A `gone` of the
    /// document removes the entry.
    var followed: [WireString: DocumentID] = [:]
    /// How often the client received a `gone` for each document and name.
    var nameEnds: [Ledger.NameAssignment: Int] = [:]
    var lastID = 0

    init(number: Int, client: Int, node: Int, buffer: Int, longest: Int, _ webSocket: ClientWebSocket?) {
        self.number = number
        self.client = client
        self.node = node
        self.buffer = buffer
        self.webSocket = webSocket
        framer = LineFramer(limit: longest)
    }

    /// Whether the client may not send any more.
    var hasEndedOutput: Bool { up.hasEnded || webSocket?.hasEnded == true }

    /// Sends a line, or its message over a WebSocket.
    func send(_ line: [UInt8]) { up.append(webSocket?.send(line.dropLast()) ?? line) }
}
