/// All limits of the wire. Everything has one.
///
/// Limits that an operator can set are stored properties with defaults. Limits that the protocol fixes are
/// static.
package struct Limits: Equatable, Sendable {
    /// The limits that `welcome` announces, so that a client can respect them.
    package struct Announced: Equatable, Sendable {
        /// Bytes of a client's line after `hello`, without its end. A whole text of the largest document
        /// fits, even if an encoder escapes more than it must.
        package var line = 25 << 20
        /// Bytes of a document as UTF-8. That is more than people write, and a server's memory holds hundreds
        /// of them.
        package var document = 4 << 20
        /// Edits of one push. With more edits, a whole text is cheaper.
        package var edits = 10_000
        /// Documents that a connection has open at once. Each costs a cursor and a session in a room.
        package var documents = 256
        /// Selections of one session in one document. Each is mapped through every change.
        package var selections = 1_000
        /// Pushes a second of a connection, with a burst of twice that. Nil means no limit, as on loopback
        /// without tokens.
        package var pushesPerSecond: Int?

        package init() {}

        /// Bytes of a server's line: the largest text, with every character escaped, and the fields around
        /// it.
        package var serverLine: Int { 6 * document + (64 << 10) }

        /// Bytes of the edits of one change, or of the items of a page, on a server's line. The rest of the
        /// line fits beside them.
        package var serverList: Int { serverLine - (32 << 10) }
    }

    package var announced = Announced()

    /// Bytes of the first line, which can only be `hello`. It is short, because the sender is not known yet.
    package var helloLine = 8 << 10
    /// Seconds until `hello` must be complete. A silent connection still costs a descriptor.
    package var helloSeconds = 10
    /// Seconds of silence after which the server sends `ping`. After as many more it closes the connection,
    /// because links can break without a sign.
    package var pingSeconds = 20

    /// Bytes of an incomplete line that do not count against `lineBudget`. Lines that people type are
    /// shorter.
    package var freeLine = 64 << 10
    /// Bytes that all incomplete lines of the server may hold beyond `freeLine`: about ten of the longest
    /// lines.
    package var lineBudget = 256 << 20
    /// Seconds until a line must be complete. A slow link is fine, a line that is held back forever is not.
    package var lineSeconds = 30
    /// Bytes for which a line gets one more second. This is the slowest link that is supported.
    package var lineBytesPerSecond = 64 << 10

    /// Bytes of undelivered output of a connection. Beyond this, the server stops reading its input.
    package var waitingOutput = 1 << 20
    /// Lines that wait for a request to be answered. Beyond this, the server stops reading input.
    package var waitingLines = 64
    /// Bytes of such lines. Beyond this, the server stops reading input. A single line may be longer.
    package var waitingLineBytes = 1 << 20
    /// Seconds after which a client that reads nothing is disconnected.
    package var takingSeconds = 30
    /// Seconds for which input is read and dropped after a closing error, so that a reset does not swallow
    /// the error.
    package var closingSeconds = 1
    /// Bytes that are read and dropped after a closing error.
    package var closingBytes = 1 << 20
    /// The number of `bad_json`, `bad_message` and `unknown_type` errors within `faultSeconds` that closes a
    /// connection.
    package var faults = 20
    /// Seconds in which `faults` are counted.
    package var faultSeconds = 10

    /// (Revisions behind) × (edits + 1) of a push. Beyond this, which is some seconds of work, the push is
    /// `base_trimmed`.
    package var rebase = 10_000_000
    /// Selections in one room, of all sessions together. The room maps each through every change.
    package var roomSelections = 20_000
    /// Bytes of revisions that a room keeps in memory, some hundred keystrokes. A session further behind is
    /// served from the store.
    package var windowBytes = 2 << 20
    /// Bytes of revisions that all rooms together keep in memory. If that is too little for `windowBytes`
    /// each, every room keeps less.
    package var windowBudget = 256 << 20
    /// Bytes, or one line, that a session may send before its connection has delivered them. This bounds the
    /// output.
    package var creditBytes = 256 << 10
    /// Revisions committed since a session was opened that it may be behind. Beyond this, sending the text is
    /// cheaper than the changes.
    package var sessionBehind = 65_536
    /// Changes of one append. Each is rebased over those before it, and one transaction must not occupy the
    /// disk for long.
    package var segmentChanges = 128
    /// Milliseconds without a change after which the server sends `check`.
    package var restMilliseconds = 5_000
    /// Milliseconds until a failed call to the store is repeated.
    package var retryMilliseconds = 1_000
    /// Seconds for which a room without sessions stays in memory. People come back.
    package var idleRoomSeconds = 60
    /// Milliseconds between two `peer` messages about one session to a receiver that is behind.
    package var peerMilliseconds = 50
    /// Milliseconds between two `document` messages about one document to a follower.
    package var documentMilliseconds = 1_000
    /// Seconds for which requests wait while their document is being renamed or deleted.
    package var orderSeconds = 30
    /// Days for which a client's pushes are remembered after its last one.
    package var pusherDays = 90
    /// Bytes after which a page of `listed` or `revisions` ends, but never before its first item.
    package var page = 1 << 20

    /// The same, or less if a server's line has less room.
    package var pageBytes: Int { min(page, announced.serverList) }

    package init() {}

    /// The version of the protocol.
    package static let protocolVersion = 1
    /// Levels of objects and arrays in a message, the message included. A reader needs little stack.
    package static let nesting = 32
    /// ±(2^53 − 1): every integer that a browser can represent exactly.
    package static let integer = (1 << 53) - 1
    /// A number with a fraction or exponent is 0, or from 10^−307 to below 10^308 without its sign. Every
    /// reader supports that.
    package static let exponent = 307
    /// Bytes of an `id` that is a string.
    package static let id = 64
    /// Bytes of a document's name, of a prefix, and of `after` in the list of names.
    package static let name = 512
    /// Bytes of an epoch. The server makes shorter ones.
    package static let epoch = 64
    /// Characters of a client's id.
    package static let client = 8...64
    /// Bytes of `info`, which is sent to everybody who opens the same document.
    package static let info = 1_024
    /// Levels of objects and arrays in `info`, itself included. Inside `opened` it must not exceed `nesting`.
    package static let infoNesting = 16
    /// The range of `limit` in requests for a page.
    package static let items = 1...1_000
    /// Items of a page if the request does not say.
    package static let itemsByDefault = 100
    /// Grants of a token. Listing documents checks each grant in the store.
    package static let grants = 1_000
    /// Characters of input that an error message repeats.
    package static let echo = 64
}
