import CaretCore
import CaretLog
import CaretWire

/// A document that a connection has open, or is opening or closing.
struct OpenDocument: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// It was asked for, and the answer has not come.
        case opening
        case open
        /// It is being closed, since the client asked for it or none of it is to be told any more.
        case closing
    }

    let session: SessionID
    let name: DocumentName
    let participant: Participant
    /// Where its room is; nil until the hub has said it.
    var document: DocumentID?
    var rights: Rights
}

/// The documents that a connection has open, by the names that its client calls them.
struct OpenDocuments: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var document: OpenDocument
        let name: WireString
    }

    /// What is looked at for every line that a room sends.
    private struct Stream: Equatable, Sendable {
        let session: SessionID
        var stage: OpenDocument.Stage
        /// Bytes that its connection has taken, and of which its room has not been told yet.
        var taken = 0
    }

    private var entries: [SessionID: Entry] = [:]
    private var named: [WireString: SessionID] = [:]
    /// One for each entry, in the order of their opening, which is that of their sessions. Apart from them, since to look
    /// at one would count a reference to everything in it.
    private var streams: [Stream] = []
    private var lastNumber = 0

    var count: Int { entries.count }
    var isEmpty: Bool { streams.isEmpty }

    subscript(name: WireString) -> OpenDocument? { named[name].flatMap { self[$0] } }

    subscript(session: SessionID) -> OpenDocument? { entries[session]?.document }

    /// Nil where the session has ended.
    func stage(of session: SessionID) -> OpenDocument.Stage? { place(of: session).map { streams[$0].stage } }

    /// All of them, in the order of their opening.
    var sessions: [SessionID] { streams.map(\.session) }

    /// An id for another session; nil where the connection has had as many as there are.
    mutating func nextSession(of connection: ConnectionID) -> SessionID? {
        if lastNumber + 1 >= SessionID.most { return nil }
        lastNumber += 1
        return SessionID(connection, number: lastNumber)
    }

    /// A document that is being opened, of the newest session.
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

    /// So many bytes of a session were taken. Answers how many its room is to be told of, some at a time: nobody
    /// waits for the last ones.
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

    /// Whether the three indexes list the same documents.
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
