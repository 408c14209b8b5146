import CaretCore
import CaretLog
import CaretWire

/// A document that a connection has open, is opening or is closing.
struct OpenDocument: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        /// The open was requested and is not answered yet.
        case opening
        case open
        /// The session is closing: the client requested that, or may not receive more of the document.
        case closing
    }

    let session: SessionID
    let name: DocumentName
    let participant: Participant
    /// The id of the document; nil until the hub has reported it.
    var document: DocumentID?
    var rights: Rights
}

/// The documents that a connection has open, by the names that its client uses.
struct OpenDocuments: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var document: OpenDocument
        let name: WireString
    }

    /// The data of a session that is needed for every line that a room sends.
    private struct Stream: Equatable, Sendable {
        let session: SessionID
        var stage: OpenDocument.Stage
        /// Bytes that were delivered, and not yet reported to the room.
        var unreported = 0
    }

    private var entries: [SessionID: Entry] = [:]
    private var named: [WireString: SessionID] = [:]
    /// One stream per entry, in the order of opening, which is the order of session ids. They are stored
    /// separately, because reading an entry would retain everything in it.
    private var streams: [Stream] = []
    /// The number of the last session that the connection has made.
    private(set) var lastNumber: Int

    init(sessionsAfter lastNumber: Int) { self.lastNumber = lastNumber }

    var count: Int { entries.count }
    var isEmpty: Bool { streams.isEmpty }

    subscript(name: WireString) -> OpenDocument? { named[name].flatMap { self[$0] } }

    subscript(session: SessionID) -> OpenDocument? { entries[session]?.document }

    /// The stage of a session; nil if the session has ended.
    func stage(of session: SessionID) -> OpenDocument.Stage? { index(of: session).map { streams[$0].stage } }

    /// All sessions, in the order of opening.
    var sessions: [SessionID] { streams.map(\.session) }

    /// An id for another session; nil if the connection has used all ids.
    mutating func nextSession(of connection: ConnectionID) -> SessionID? {
        if lastNumber + 1 >= SessionID.most { return nil }
        lastNumber += 1
        return SessionID(connection, number: lastNumber)
    }

    /// Adds a document that the client is opening under this name.
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
        if let index = index(of: session) { streams[index].stage = stage }
    }

    /// Counts delivered bytes of a session. Returns how many bytes to report to its room; nil if the report
    /// can wait. Bytes are reported once they are at least `portion`. The last bytes may stay unreported,
    /// but no room waits for them.
    mutating func countDelivered(_ bytes: Int, of session: SessionID, reportingEvery portion: Int) -> Int? {
        guard let index = index(of: session) else { return nil }
        let unreported = streams[index].unreported + bytes
        streams[index].unreported = unreported < portion ? unreported : 0
        return unreported < portion ? nil : unreported
    }

    mutating func remove(_ session: SessionID) {
        if let index = index(of: session) { streams.remove(at: index) }
        guard let name = entries.removeValue(forKey: session)?.name, named[name] == session else { return }
        named[name] = nil
    }

    mutating func removeAll() {
        entries = [:]
        named = [:]
        streams = []
    }

    func checkInvariants() throws(BrokenInvariant) {
        let ids = streams.map(\.session)
        try BrokenInvariant.check(
            "the indexes by session and by name list the same open documents",
            zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && Set(ids) == Set(entries.keys)
                && named.allSatisfy { entries[$0.value]?.name == $0.key })
    }

    private func index(of session: SessionID) -> Int? {
        let index = streams.indices.partitionPoint { streams[$0].session >= session }
        return index < streams.count && streams[index].session == session ? index : nil
    }
}
