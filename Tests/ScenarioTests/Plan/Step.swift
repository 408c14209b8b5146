import CaretLog
import CaretWire

/// One line of a plan: at some time something is done, by a client or to the world.
///
/// A step does what it can in whatever world it meets, or nothing: so a plan stays one when lines are taken out.
struct Step: Equatable {
    /// Milliseconds from the beginning.
    let time: Int
    let deed: Deed
}

enum Deed: Equatable {
    case client(Int, ClientDeed)
    case world(WorldDeed)
}

/// What somebody does. Names are places in `Plan.names`.
enum ClientDeed: Equatable {
    // With a document.
    case types(Int, [Typing])
    case selects(Int, [Place])
    case undoes(Int)
    case redoes(Int)
    /// Changes its file and pushes the whole of it.
    case writes(Int, [Typing], crlf: Bool)
    /// Pushes the file as it is.
    case syncs(Int)
    case opens(Int)
    case closes(Int)
    case retries(Int)
    case discards(Int)
    /// The server refuses its next new push by this code.
    case isRefused(Int, ErrorCode)
    /// Is told a wrong sum of its text.
    case hearsWrongCheck(Int)
    /// Sends its last push once more.
    case repeats(Int)
    /// Sends another push under the number of the last.
    case reuses(Int)
    /// Begins anew, without what it has not saved.
    case restarts
    /// The program ends, and starts again with what it has kept of unsaved documents.
    case reloads

    // With its connection.
    case leaves
    case returns
    /// Connects while the server believes it connected.
    case connectsAgain
    /// The connection breaks for both sides.
    case isCut
    /// The connection breaks, and the server does not hear of it.
    case vanishes
    /// What the server says is lost for so many milliseconds, and then the connection breaks.
    case hearsNothing(Int)
    /// What it says is lost for so many milliseconds, and then the connection breaks.
    case isNotHeard(Int)
    /// It sends no more, and reads on.
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

/// A line that is no good.
enum Babble: String, CaseIterable {
    case json, type, range, carriage, field, name, hello
}

/// What befalls the server, the store or the rights.
enum WorldDeed: Equatable {
    case allows(Int, Int, Access)
    /// The token of a client is good for nothing, for so many milliseconds.
    case revokes(Int, Int)
    case store(Weather, milliseconds: Int)
    /// Another node appends to a document.
    case elsewhere(Int, [Typing])
    case trims(Int, perMille: Int)
    /// The store finds a document damaged from now on.
    case damages(Int)
    /// Another node gives every document a new epoch.
    case renews
    case crashes
    case shutsDown
    /// Keeps the store as it is, to be put back.
    case keeps
    /// Puts the store back that was kept last.
    case putsBack
}

/// What the store is like.
enum Weather: String, CaseIterable {
    case slow, full, failing, unsure
}
