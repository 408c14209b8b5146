import CaretLog
import CaretWire

/// One line of a plan: at some time a client does something, or something happens to the world.
///
/// A step that is impossible at its time does nothing. So a plan stays valid when lines are removed.
struct Step: Equatable {
    /// Milliseconds from the beginning.
    let time: Int
    let deed: Deed
}

enum Deed: Equatable {
    case client(Int, ClientDeed)
    case world(WorldDeed)
}

/// What a client does. Document names are indices of `Plan.names`.
enum ClientDeed: Equatable {
    // With a document.
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
    /// The server refuses its next new push with this code.
    case isRefused(Int, ErrorCode)
    /// Receives a check that does not match its text.
    case hearsWrongCheck(Int)
    /// Sends its last push again.
    case repeats(Int)
    /// Sends another push with the seq of the last one.
    case reuses(Int)
    /// Starts again without its unsaved edits.
    case restarts
    /// The program ends, and starts again with its saved replicas.
    case reloads

    // With its connection.
    case leaves
    case returns
    /// Connects while its older connection is still open.
    case connectsAgain
    /// The connection breaks for both sides.
    case isCut
    /// The connection breaks, and the server does not hear of it.
    case vanishes
    /// What the server sends is lost for so many milliseconds. Then the connection breaks.
    case hearsNothing(Int)
    /// What the client sends is lost for so many milliseconds. Then the connection breaks.
    case isNotHeard(Int)
    /// It sends no more, but still reads.
    case endsOutput
    case stopsReading(Int)
    case pings
    case babbles(Babble)

    // Requests.
    case lists
    case reads(Int, perMille: Int?)
    case looksBack(Int, perMille: Int)
    case follows
    case unfollows
    case renames(Int, to: Int)
    case deletes(Int)
    case restores(Int, perMille: Int)
}

/// A line that the server must refuse.
enum Babble: String, CaseIterable {
    case json, type, range, carriage, field, name, hello
}

/// What happens to the server, the store or the rights.
enum WorldDeed: Equatable {
    case allows(Int, Int, Access)
    /// The token of a client is invalid for so many milliseconds.
    case revokes(Int, Int)
    case store(Weather, milliseconds: Int)
    /// Another node appends to a document.
    case elsewhere(Int, [Typing])
    case trims(Int, perMille: Int)
    /// From now on the store reports a document as damaged.
    case damages(Int)
    /// Another node gives every document a new epoch.
    case renews
    case crashes
    case shutsDown
    /// Keeps a copy of the store for `putsBack`.
    case keeps
    /// Replaces the store with the last kept copy.
    case putsBack
}

/// How the store behaves for a while.
enum Weather: String, CaseIterable {
    case slow, full, failing, unsure
}
