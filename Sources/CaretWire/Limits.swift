/// Everything on the wire has a limit; these are all of them.
///
/// What an operator may set is stored, with its default; what both sides must agree on by the protocol is static.
package struct Limits: Equatable, Sendable {
    /// What `welcome` tells, since a client can keep to it.
    package struct Announced: Equatable, Sendable {
        /// Bytes of a client's line after `hello`, without its end: a whole text of the largest document fits, escaped
        /// by a wasteful encoder.
        package var line = 25 << 20
        /// Bytes of a document as UTF-8: more than people write, and hundreds of them fit a server's memory.
        package var document = 4 << 20
        /// Edits of one push: beyond it a whole text costs less.
        package var edits = 10_000
        /// Documents that a connection has open at once: each costs a cursor and a place in a room.
        package var documents = 256
        /// Selections of one session in one document: each is mapped through every change.
        package var selections = 1_000
        /// Pushes a connection a second, with a burst of twice that; nil, on loopback without tokens, is no limit.
        package var pushesPerSecond: Int?

        package init() {}

        /// Bytes of a server's line: the largest text, all of it control characters, and what stands around it.
        package var serverLine: Int { 6 * document + (64 << 10) }

        /// Bytes of the edits of one change, or of the items of a page, on a server's line: what stands around them fits
        /// into the rest.
        package var serverList: Int { serverLine - (32 << 10) }
    }

    package var announced = Announced()

    /// Bytes of the first line, which is for `hello` alone: nobody is known yet, so nothing large is held.
    package var helloLine = 8 << 10
    /// Seconds until the whole of `hello` must have come: a connection that says nothing costs a descriptor.
    package var helloSeconds = 10
    /// Seconds of silence after which the server pings, and as many again until it closes: links die unheard.
    package var pingSeconds = 20

    /// Bytes of a begun line that draw on no budget: lines of people are shorter.
    package var freeLine = 64 << 10
    /// Bytes that all begun lines of the server may hold beyond `freeLine`: the memory of ten of the longest.
    package var lineBudget = 256 << 20
    /// Seconds until a begun line must be through: a slow link may be slow, a held line may not be for ever.
    package var lineSeconds = 30
    /// Bytes for which a line gets a second more: the slowest link that is waited for.
    package var lineBytesPerSecond = 64 << 10

    /// Bytes of output that wait for a connection, over which its input is not read: who does not read is not heard.
    package var waitingOutput = 1 << 20
    /// Lines that wait behind a request that is not answered yet, over which input is not read.
    package var waitingLines = 64
    /// Bytes of such lines, over which input is not read; one line may be longer.
    package var waitingLineBytes = 1 << 20
    /// Seconds after which a client is cut that takes nothing.
    package var takingSeconds = 30
    /// Seconds for which input is read and dropped behind a closing error, so that a reset does not swallow it.
    package var closingSeconds = 1
    /// Bytes that are read and dropped behind a closing error.
    package var closingBytes = 1 << 20
    /// The `bad_json`, `bad_message` and `unknown_type` within `faultSeconds` of which the last one closes.
    package var faults = 20
    /// Seconds in which `faults` are counted.
    package var faultSeconds = 10

    /// (Revisions behind) × (edits + 1) of a push, over which its base counts as trimmed: some seconds of work.
    package var rebase = 10_000_000
    /// Selections that a room maps through each change, of all sessions together.
    package var roomSelections = 20_000
    /// Bytes of revisions that a room keeps at hand, some hundred keys: whoever is further behind is served by the store.
    package var windowBytes = 2 << 20
    /// Bytes of revisions that all rooms together keep at hand: where that is less than `windowBytes` for each that is
    /// written to, each keeps less.
    package var windowBudget = 256 << 20
    /// Bytes that a session is handed beyond what its connection has taken, or one line: so no output grows.
    package var creditBytes = 256 << 10
    /// Revisions committed since it opened that a session may be behind: over it, a text costs less than its way there.
    package var sessionBehind = 65_536
    /// Changes of one append: each is moved over all before it, and one transaction must not hold the disk for long.
    package var segmentChanges = 128
    /// Milliseconds without a change after which a document rests, and what it adds up to is told.
    package var restMilliseconds = 5_000
    /// Milliseconds until what the store could not tell is asked again.
    package var retryMilliseconds = 1_000
    /// Seconds for which a room that nobody needs stays at hand, since people come back.
    package var idleRoomSeconds = 60
    /// Milliseconds between two `peer` of one session to a receiver that is behind.
    package var peerMilliseconds = 50
    /// Milliseconds between two `document` of one document to a follower.
    package var documentMilliseconds = 1_000
    /// Seconds for which requests for a document wait while its room renames or deletes it; the room decides then.
    package var orderSeconds = 30
    /// Days for which the pushes of a client are remembered after its last one.
    package var pusherDays = 90
    /// Bytes after which a page of `listed` or `revisions` ends, never before its first item.
    package var page = 1 << 20

    /// The same, where a server's line leaves less room.
    package var pageBytes: Int { min(page, announced.serverList) }

    package init() {}

    /// The version of the protocol.
    package static let protocolVersion = 1
    /// Levels of objects and arrays in a message, itself counted: a reader needs no stack to speak of.
    package static let nesting = 32
    /// ±(2^53 − 1): every integer that a browser can hold exactly.
    package static let integer = (1 << 53) - 1
    /// A number written with a fraction or an exponent lies, unless it is zero, from 10^−307 to below 10^308 without
    /// its sign: every reader can hold it.
    package static let exponent = 307
    /// Bytes of an `id` that is a string.
    package static let id = 64
    /// Bytes of a document's name, and of a prefix or a place in the list of names.
    package static let name = 512
    /// Bytes of an epoch: the server makes shorter ones.
    package static let epoch = 64
    /// Characters of a client's id.
    package static let client = 8...64
    /// Bytes of `info`, which everybody who opens the same document is sent.
    package static let info = 1_024
    /// Levels of objects and arrays in `info`, itself counted: inside `opened` it must not break `nesting`.
    package static let infoNesting = 16
    /// Items that a page may be asked for.
    package static let items = 1...1_000
    /// Items of a page that does not say how many.
    package static let itemsByDefault = 100
    /// Grants of a token: whoever lists documents costs a look at the store for each.
    package static let grants = 1_000
    /// Characters of input that a message for a person repeats.
    package static let echo = 64
}
