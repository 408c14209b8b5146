import CaretLog
import CaretRooms
import CaretWire

/// Bytes on their way in one direction.
struct Pipe {
    private var bytes: [UInt8] = []
    private var start = 0
    /// They arrive nowhere.
    var isDead = false
    /// No more are sent.
    var hasEnded = false
    /// The end has been told.
    var isEndTold = false
    var isScheduled = false
    /// They are not taken for now.
    var isHeld = false

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

/// A line that the server sent: what was on disk then, and when that was.
struct SentLine {
    let serial: Int
    let time: Int64
}

/// One connection as the network has it, and what its client understands of what comes.
final class Link {
    let number: Int
    let client: Int
    var port: SimulatedPort?
    /// From the client to the server.
    var up = Pipe()
    /// From the server to the client.
    var down = Pipe()
    /// Bytes that the network holds for a client that does not read.
    let buffer: Int
    /// Bytes that the server was told are written, and that have not arrived.
    var buffered = 0
    /// Of the lines that have not arrived.
    var sent = SerialQueue<SentLine>()
    /// Neither side hears of it any more.
    var isGone = false
    var isWelcomed = false

    var framer: LineFramer
    var decoder = MessageDecoder()
    var writer = JSONWriter()
    var streams: [WireString: StreamCheck] = [:]
    var awaited: [RequestID: Awaited] = [:]
    /// The document that a name was told of last, where its end was not.
    var news: [WireString: DocumentID] = [:]
    /// How often the end of a document by a name was told.
    var ends: [Ledger.Naming: Int] = [:]
    var lastID = 0

    init(number: Int, client: Int, buffer: Int, longest: Int) {
        self.number = number
        self.client = client
        self.buffer = buffer
        framer = LineFramer(limit: longest)
    }
}
