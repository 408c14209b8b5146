import CaretLog
import CaretWire

/// One line of a plan: at some time a client does something, or something happens to the world.
///
/// A step that is impossible at its time does nothing. So a plan stays valid when lines are removed.
struct Step: Equatable {
    /// Milliseconds from the beginning.
    let time: Int
    let operation: Operation
}

enum Operation: Equatable {
    case client(Int, ClientOperation)
    case world(WorldOperation)
}

/// What a client does. Document names are indices of `Plan.names`.
enum ClientOperation: Equatable {
    // Actions on a document.
    case types(Int, [Typing])
    case selects(Int, [Place])
    case undoes(Int)
    case redoes(Int)
    /// Changes its file and pushes the whole text.
    case writes(Int, [Typing], crlf: Bool)
    /// Pushes the file as it is.
    case syncs(Int)
    case opens(Int)
    case closes(Int)
    case retries(Int)
    case discards(Int)
    /// The server refuses the client's next new push with this code.
    case isRefused(Int, ErrorCode)
    /// The client receives a check that does not match its text.
    case hearsWrongCheck(Int)
    /// Sends its last push again.
    case repeats(Int)
    /// Sends another push with the same seq as the last push.
    case reuses(Int)
    /// Starts again without its unsaved edits.
    case restarts
    /// The program ends, and starts again with its saved replicas.
    case reloads

    // Actions on the connection.
    case leaves
    case returns
    /// Connects while its older connection is still open.
    case connectsAgain
    /// The connection breaks for both sides.
    case isCut
    /// The connection breaks, and the server does not notice.
    case vanishes
    /// All bytes from the server are lost for this many milliseconds. Then the connection breaks.
    case hearsNothing(Int)
    /// All bytes from the client are lost for this many milliseconds. Then the connection breaks.
    case isNotHeard(Int)
    /// The client sends no more, but still reads.
    case endsOutput
    case stopsReading(Int)
    case pings
    case babbles(MalformedLine)

    // Other requests.
    case lists
    case reads(Int, perMille: Int?)
    case looksBack(Int, perMille: Int)
    case follows
    case unfollows
    case renames(Int, to: Int)
    case copies(Int, to: Int)
    case deletes(Int)
    /// Names a revision.
    case tags(Int, perMille: Int)
    case restores(Int, perMille: Int)
}

/// A line that the server must refuse.
enum MalformedLine: String, CaseIterable {
    case json, type, range, carriage, field, name, hello
}

/// What happens to the server, the store or the rights.
enum WorldOperation: Equatable {
    case allows(Int, Int, Access)
    /// The token of a client is invalid for this many milliseconds.
    case revokes(Int, Int)
    case store(StoreBehaviour, milliseconds: Int)
    /// Another node appends to a document.
    case elsewhere(Int, [Typing])
    case trims(Int, perMille: Int)
    /// From now on the store reports a document as damaged.
    case damages(Int)
    /// Another node gives every document a new epoch.
    case renews
    case crashes
    case shutsDown
    /// A server's process is stopped, and goes on after this many milliseconds.
    case stops(milliseconds: Int)
    /// A server hears nothing of the other servers for this many milliseconds, and cannot tell them anything.
    case cutsBus(milliseconds: Int)
    /// Keeps a copy of the store for `putsBack`.
    case keeps
    /// Replaces the store with the last kept copy.
    case putsBack
}

/// A fault of the store that lasts for a while.
enum StoreBehaviour: String, CaseIterable {
    case slow, full, failing, unsure
}
