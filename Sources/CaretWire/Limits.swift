/// All limits of the wire protocol. Every size and every time has a limit.
///
/// Limits that an operator can set are stored properties with defaults. Limits that are part of the protocol
/// are static. Those of single fields are in `docs/protocol/protocol.json`.
package struct Limits: Equatable, Sendable {
    package var announced = Announced()

    /// The most bytes of the first line, which can only be `hello`. This limit is low, because the sender is
    /// not known yet.
    package var helloLine = 8 << 10
    /// The most connections of one user, if tokens are required. A user has a few devices with a few windows each; a
    /// faulty program must not take the descriptors of all others.
    package var userConnections = 64
    /// The most connections without a token from one address.
    package var guestConnections = 32
    /// Whether users may make links to the documents that they may write.
    package var allowsLinks = false
    /// The longest life of a link.
    package static let linkSeconds = 30 * 86_400
    /// The most that `token_max_life` may be, in seconds. A sign-out is kept for this time.
    package static let longestTokenLifeSeconds = 30 * 86_400
    /// Seconds until `hello` must be complete. The time is limited because even a silent connection costs a
    /// descriptor.
    package var helloSeconds = 10
    /// Seconds without input after which the server sends `ping`. If the same time passes again without
    /// input, the server closes the connection, because a link can break without an error.
    package var pingSeconds = 20

    /// The first bytes of each incomplete line, up to this number, do not count against `lineBudget`. Lines
    /// that people type are shorter.
    package var freeLine = 64 << 10
    /// The most bytes that all incomplete lines of the server together may have beyond `freeLine`: about ten
    /// of the longest lines.
    package var lineBudget = 256 << 20
    /// Seconds within which a line must be complete. Slow links have enough time, but no line can stay
    /// incomplete forever.
    package var lineSeconds = 30
    /// Bytes per second of the slowest supported link. A line gets one more second for each portion of this
    /// size.
    package var lineBytesPerSecond = 64 << 10

    /// If a connection has more bytes of undelivered output than this, the server stops reading its input.
    package var waitingOutput = 1 << 20
    /// The most bytes of all output that waits for clients, and of the texts that are being encoded for them. A text is
    /// begun while any byte is left, so one text may exceed it.
    package var outputBudget = 512 << 20
    /// How many lines of a connection may wait until an earlier request is answered. While so many lines
    /// wait, the server reads no input.
    package var waitingLines = 64
    /// How many bytes all waiting lines of a connection may have. If they have more, the server stops reading
    /// input. A single line may be longer.
    package var waitingLineBytes = 1 << 20
    /// Seconds after which a client that reads nothing is disconnected.
    package var outputTimeoutSeconds = 30
    /// Seconds for which input is read and dropped after an error that closes the connection. If the server
    /// did not read this input, a reset of the connection could discard the error.
    package var closingSeconds = 1
    /// The most bytes that are read and dropped after an error that closes the connection.
    package var closingBytes = 1 << 20
    /// The server closes a connection after this number of `bad_json`, `bad_message` and `unknown_type`
    /// errors within `faultSeconds`.
    package var faults = 20
    /// The length in seconds of the period in which `faults` errors close a connection.
    package var faultSeconds = 10

    /// The largest product of (revisions after a push's base) × (edits of the push + 1). The server refuses a
    /// push with a larger product as `base_trimmed`, because rebasing it would take some seconds.
    package var rebase = 10_000_000
    /// The seconds in which the pushes of one user to one document may take `rebase` such steps together. A push beyond
    /// them is refused as `rate_limited`.
    package static let rebaseSeconds = 10
    /// The most selections in one room, of all sessions together. The room moves each selection with every
    /// change.
    package var roomSelections = 20_000
    /// The most bytes of revisions that a room keeps in memory: enough for several hundred keystrokes. A
    /// session that is further behind gets its changes from the store.
    package var windowBytes = 2 << 20
    /// The most bytes of revisions that all rooms together keep in memory. If this does not allow
    /// `windowBytes` for each room, every room keeps less.
    package var windowBudget = 256 << 20
    /// A longer text is encoded beside the hub and the loops before it answers a read. Encoding this many bytes takes
    /// about a tenth of a millisecond.
    package var textEncodedAtOnce = 64 << 10
    /// The most bytes of texts that are kept for reads over HTTP. A longer text is not kept, and 0 keeps none.
    package var textCache = 64 << 20
    /// The most bytes that a room may send to a session before the connection has delivered them. This limits
    /// the undelivered output. A single line may be longer.
    package var creditBytes = 256 << 10
    /// How many revisions a session may be behind, also when it resumes, if they are no longer in memory. For a session
    /// further behind, sending the text is cheaper than sending the changes.
    package var sessionBehind = 65_536
    /// The most changes of one append. The number is limited for two reasons: each change is rebased over the
    /// earlier ones, and one transaction must not occupy the disk for long.
    package var segmentChanges = 128
    /// Milliseconds without a change after which the server sends `check`.
    package var checkDelayMilliseconds = 5_000
    /// Milliseconds after which a failed call to the store is repeated.
    package var retryMilliseconds = 1_000
    /// Seconds for which a room without sessions stays in memory, because people often return.
    package var idleRoomSeconds = 60
    /// The shortest time in milliseconds between two sends of presence in a document. In between, only the
    /// latest presence of each session is kept. 0 sends all presence at once.
    package var peerMilliseconds = 50
    /// The shortest time in milliseconds between two `document` messages about one document to a follower.
    package var documentMilliseconds = 1_000
    /// The longest time in seconds that requests wait while their document is being renamed or deleted.
    package var orderTimeoutSeconds = 30
    /// Days for which a client's highest push is remembered.
    package var pusherDays = 90
    /// The most notes of a document. Clients move all of them with each change.
    package var notes = 10_000
    /// The most bytes that all notes of a document may have together: as many as its text.
    package var noteBytes = 4 << 20
    /// The most bytes of a page of `listed` or `revisions`. A page always has at least one item.
    package var page = 1 << 20

    /// `page`, or less if a server's line has less space.
    package var pageBytes: Int { min(page, announced.serverList) }

    /// A rebase of at most this many steps takes about a millisecond, so the room runs it at once. A longer one runs in
    /// the background, and counts towards the steps of its user. Smaller limits make it smaller, for tests.
    package var rebaseAtOnce: Int { min(20_000, rebase / 500) }

    package init() {}

    /// The most levels of objects and arrays in a message, including the message itself. So a reader needs
    /// little stack.
    package static let nesting = 32
    /// Integers are within ±(2^53 − 1), because a browser represents them exactly.
    package static let integer = (1 << 53) - 1
    /// A number with a fraction or exponent is 0, or its absolute value is from 10^−307 to below 10^308.
    /// Every JSON reader supports this range.
    package static let exponent = 307
    /// While `outputBudget` is used up, a connection with more undelivered output than this gets no further answers, and
    /// ends if it accepts nothing for `usedUpSeconds`.
    package static let freeOutput = 64 << 10
    /// While `outputBudget` is used up, the seconds after which a client that reads nothing is disconnected.
    package static let usedUpSeconds = 5
    /// The most named revisions of a document. All of them fit in one answer.
    package static let tags = 1_000
    /// The most bytes of a part of a text in an answer to `read`.
    package static let partBytes = 64 << 10
    /// The most bytes of the words that a note quotes.
    package static let quote = 1_024
    /// The most bytes that a suggestion may insert.
    package static let suggestion = 256 << 10
    /// The most levels of objects and arrays in `info`, including `info` itself. The message
    /// `opened` contains `info`, and all its levels together must not exceed `nesting`.
    package static let infoNesting = 16
    /// The most items of a page if the request does not give a limit.
    package static let itemsByDefault = 100
    /// The most characters of input that an error message repeats.
    package static let echo = 64
}

extension Limits.Announced {
    /// The most bytes of a server's line: the largest text, with every character escaped, and the fields
    /// around it.
    package var serverLine: Int { 6 * document + (64 << 10) }

    /// The most bytes that the edits of one change, or the items of a page, may take on a server's line.
    /// This leaves enough space for the other fields.
    package var serverList: Int { serverLine - (32 << 10) }
}

extension Limits {
    /// The seconds after which a client is disconnected that accepts none of `waiting` bytes.
    package func outputTimeoutSeconds(waiting: Int, isUsedUp: () -> Bool) -> Int {
        let isScarce =
            waiting > Limits.freeOutput && outputTimeoutSeconds > Limits.usedUpSeconds && isUsedUp()
        return isScarce ? Limits.usedUpSeconds : outputTimeoutSeconds
    }

    /// When to ask again whether that time is shorter by now: after the shorter time, and then once a second. Nil if it
    /// would not change the time.
    package func outputCheck(waiting: Int, since: Int64, at now: Int64) -> Int64? {
        guard waiting > Limits.freeOutput, outputTimeoutSeconds > Limits.usedUpSeconds else { return nil }
        return max(since + Int64(Limits.usedUpSeconds) * 1_000, now + 1_000)
    }
}
