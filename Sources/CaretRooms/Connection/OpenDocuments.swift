import CaretCore
import CaretLog
import CaretWire

/// A document that a connection has open, is opening or is closing.
struct OpenDocument: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// The open was requested and is not answered yet.
        case opening
        case open
        /// It is closing, because the client requested it or must not receive any more of it.
        case closing
    }

    let session: SessionID
    let name: DocumentName
    let participant: Participant
    /// The document that its room belongs to; nil until the hub has reported it.
    var document: DocumentID?
    var rights: Rights
}

/// The documents that a connection has open, by the names that its client uses.
struct OpenDocuments: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var document: OpenDocument
        let name: WireString
    }

    /// What is needed for every line that a room sends.
    private struct Stream: Equatable, Sendable {
        let session: SessionID
        var stage: OpenDocument.Stage
        /// Bytes that were delivered, and not yet reported to the room.
        var taken = 0
    }

    private var entries: [SessionID: Entry] = [:]
    private var named: [WireString: SessionID] = [:]
    /// One for each entry, in the order of opening, which is the order of sessions. Stored separately,
    /// because reading an entry would retain everything in it.
    private var streams: [Stream] = []
    private var lastNumber = 0

    var count: Int { entries.count }
    var isEmpty: Bool { streams.isEmpty }

    subscript(name: WireString) -> OpenDocument? { named[name].flatMap { self[$0] } }

    subscript(session: SessionID) -> OpenDocument? { entries[session]?.document }

    /// Nil if the session has ended.
    func stage(of session: SessionID) -> OpenDocument.Stage? { place(of: session).map { streams[$0].stage } }

    /// All of them, in the order of opening.
    var sessions: [SessionID] { streams.map(\.session) }

    /// An id for another session; nil if the connection has used all ids.
    mutating func nextSession(of connection: ConnectionID) -> SessionID? {
        if lastNumber + 1 >= SessionID.most { return nil }
        lastNumber += 1
        return SessionID(connection, number: lastNumber)
    }

    /// The newest session's document of this name, if it is being opened.
    mutating func add(_ document: OpenDocument, as name: WireString) {
        entries[document.session] = Entry(document: document, name: name)
        named[name] = document.session
        streams.append(Stream(session: document.session, stage: .opening))
    }

    mutating func change(_ session: SessionID, _ change: (inout OpenDocument) -> Void) {
        guard entries[session] != nil else { return }
        change(&entries[session]!.document)
    }

    mutating func setStage(_ stage: OpenDocument.Stage, of session: SessionID) {
        if let place = place(of: session) { streams[place].stage = stage }
    }

    /// Bytes of a session were delivered. Returns how many to report to its room. They are reported in larger
    /// portions; nobody waits for the last ones.
    mutating func took(_ bytes: Int, of session: SessionID, tellingEvery most: Int) -> Int? {
        guard let place = place(of: session) else { return nil }
        let taken = streams[place].taken + bytes
        streams[place].taken = taken < most ? taken : 0
        return taken < most ? nil : taken
    }

    mutating func remove(_ session: SessionID) {
        if let place = place(of: session) { streams.remove(at: place) }
        guard let name = entries.removeValue(forKey: session)?.name, named[name] == session else { return }
        named[name] = nil
    }

    mutating func removeAll() {
        entries = [:]
        named = [:]
        streams = []
    }

    /// Whether the three indices contain the same documents.
    var isSound: Bool {
        let ids = streams.map(\.session)
        return zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && Set(ids) == Set(entries.keys)
            && named.allSatisfy { entries[$0.value]?.name == $0.key }
    }

    private func place(of session: SessionID) -> Int? {
        let place = streams.indices.firstPlace { streams[$0].session >= session }
        return place < streams.count && streams[place].session == session ? place : nil
    }
}
