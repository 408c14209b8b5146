/// What a round of `NodeFaultTests` does to the servers, to PostgreSQL or to the network.
enum NodeFault: String, CaseIterable {
    case serverKilled = "a server is killed"
    case serverStopped = "a server is stopped by a signal, and goes on later"
    case primaryCrashes = "the primary crashes, and a standby takes over"
    case primaryIsolated = "the primary is cut from its standbys, and one of them takes over"
    case standbysUnreachable = "the primary is cut from its standbys for a while"
    case waitsCancelled = "an operator cancels commits that wait for a standby"
    case listEmptied = "the list of standbys is emptied while the primary reaches none"
    case rowLocked = "somebody locks the row of a document"
    case nameTaken = "another server takes the name of one that is cut from PostgreSQL"
    case standbyCrashes = "one of two standbys crashes"
    case busesMuted = "the servers do not hear each other"
    case cutFromPrimary = "a server is cut from the primary for a while"
    case cutFromDatabase = "a server is cut from PostgreSQL for long"
    case packetsDelayed = "each packet takes 0 to 10 ms"

    /// Whether the fault is one of the network.
    var needsNetwork: Bool {
        switch self {
        case .cutFromPrimary, .cutFromDatabase, .packetsDelayed, .nameTaken: true
        case .serverKilled, .serverStopped, .primaryCrashes, .primaryIsolated, .standbysUnreachable,
            .waitsCancelled, .listEmptied, .rowLocked, .standbyCrashes, .busesMuted:
            false
        }
    }

    /// Whether the fault takes so long that only full runs have it.
    var isLong: Bool { self == .nameTaken }
}
