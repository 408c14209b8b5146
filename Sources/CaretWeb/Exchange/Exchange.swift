import CaretLog
import CaretRooms
import CaretWire

/// One request of HTTP that the protocol answers: which messages to send, and which response their answers become.
protocol Exchange: Sendable {
    /// The first step, after the server has welcomed the member.
    mutating func begin() -> ExchangeStep

    /// The next step, after a message of the server. It is not called for errors that `refused` handles.
    mutating func received(_ answer: ServerLine) -> ExchangeStep

    /// The next step, after the text that `read` asked for was found in memory.
    mutating func found(_ text: ReadText, _ limits: Limits) -> ExchangeStep

    /// The next step, after the server has refused a message.
    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep

    /// The next step, after the whole body was sent in this frame.
    mutating func sentBody(_ frame: BodyFrame) -> ExchangeStep

    /// The next step, after the whole body was taken.
    mutating func took(_ body: [UInt8]) -> ExchangeStep

    /// The next step, after the time of `waitAtMost` has passed.
    mutating func timeIsUp() -> ExchangeStep

    /// The next step, after a part of the response was delivered.
    mutating func delivered() -> ExchangeStep

    /// The response, as far as it is known. It is sent if the server ends the member before the last step.
    var outcome: Response? { get }
}

extension Exchange {
    mutating func refused(_ report: ErrorReport, _ line: [UInt8]) -> ExchangeStep {
        .respond(report.response(line))
    }

    mutating func found(_ text: ReadText, _ limits: Limits) -> ExchangeStep { .wait }

    mutating func sentBody(_ frame: BodyFrame) -> ExchangeStep { .wait }

    mutating func took(_ body: [UInt8]) -> ExchangeStep { .wait }

    mutating func timeIsUp() -> ExchangeStep { .wait }

    mutating func delivered() -> ExchangeStep { .wait }

    var outcome: Response? { nil }
}

enum ExchangeStep {
    /// Send a message, and wait for the next message of the server.
    case send(ClientMessage)
    /// Read the newest text of a document. If the server has it in memory, `found` follows. Otherwise the step is
    /// the same as `send`.
    case read(Read, DocumentName)
    /// Send the body of the request inside a message.
    case sendBody(BodyFrame)
    /// Send this body, which was read before, inside a message.
    case sendAgain(BodyFrame, body: [UInt8])
    /// Read the whole body. `took` follows. The body counts as an incomplete message, with the same limits.
    case takeBody
    /// Wait for the next message of the server.
    case wait
    /// Wait for the next messages of the server, but only this long. Then `timeIsUp` follows.
    case waitAtMost(seconds: Int)
    case respond(Response)
    /// Send the next part of a response of unknown length. `delivered` follows, except after the last part.
    case part(ResponsePart)
    /// Respond with the result of this computation.
    case compute(Computation)
    /// Send this line and all later ones as events.
    case stream(EventWriter.Form, ServerLine)
}

/// A part of a response of unknown length.
struct ResponsePart: Sendable {
    /// The status and the fields of the response. They are sent before the first part.
    let head: Response
    let bytes: [UInt8]
    let isLast: Bool
}

/// A message of the server, as sent and decoded.
struct ServerLine: Sendable {
    private enum Source: Sendable {
        case line(ServerMessage, [UInt8])
        case text(TextLine)
    }

    private let source: Source

    init(_ message: ServerMessage, _ bytes: [UInt8]) { source = .line(message, bytes) }

    init(_ line: TextLine) { source = .text(line) }

    /// The line, if it has a long text as a piece of its own; nil for other lines.
    var text: TextLine? { if case .text(let line) = source { line } else { nil } }

    /// The message. The message of a line with a long text has an empty text.
    var message: ServerMessage {
        switch source {
        case .line(let message, _): message
        case .text(let line): line.shell
        }
    }

    /// The answer to a `read`, with its text; nil for other messages. This may copy a long text.
    var read: WireText? {
        switch source {
        case .line(.text(let text), _): text
        case .line: nil
        case .text(let line): line.read
        }
    }

    /// The line. This may copy a long text.
    var bytes: [UInt8] {
        switch source {
        case .line(_, let bytes): bytes
        case .text(let line): line.bytes
        }
    }

    var pieces: [OutputPiece] {
        switch source {
        case .line(_, let bytes): [.bytes(bytes)]
        case .text(let line): line.pieces
        }
    }
}
