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
    var stage = Stage.opening
    /// Where its room is; nil until the hub has said it.
    var document: DocumentID?
    var rights: Rights
    /// Bytes that its connection has taken, and of which its room has not been told yet.
    var taken = 0
}

/// The documents that a connection has open, by the names that its client calls them.
struct OpenDocuments: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var document: OpenDocument
        let name: WireString
    }

    // Most that is asked is about a session: every line that a room sends.
    private var entries: [SessionID: Entry] = [:]
    private var named: [WireString: SessionID] = [:]
    private var lastNumber = 0

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    subscript(name: WireString) -> OpenDocument? { named[name].flatMap { self[$0] } }

    subscript(session: SessionID) -> OpenDocument? { entries[session]?.document }

    /// Nil where the session has ended. Asked for every line, so the rest of the document is left where it is.
    func stage(of session: SessionID) -> OpenDocument.Stage? { entries[session]?.document.stage }

    func name(of session: SessionID) -> WireString? { entries[session]?.name }

    /// All of them, in the order of their opening.
    var sessions: [SessionID] { entries.keys.sorted() }

    /// An id for another session; nil where the connection has had as many as there are.
    mutating func nextSession(of connection: ConnectionID) -> SessionID? {
        if lastNumber + 1 >= SessionID.most { return nil }
        lastNumber += 1
        return SessionID(connection, number: lastNumber)
    }

    mutating func add(_ document: OpenDocument, as name: WireString) {
        entries[document.session] = Entry(document: document, name: name)
        named[name] = document.session
    }

    mutating func change(_ session: SessionID, _ change: (inout OpenDocument) -> Void) {
        guard entries[session] != nil else { return }
        change(&entries[session]!.document)
    }

    /// So many bytes of a session were taken. Answers how many its room is to be told of, some at a time: nobody
    /// waits for the last ones.
    mutating func took(_ bytes: Int, of session: SessionID, tellingEvery most: Int) -> Int? {
        guard let taken = entries[session].map({ $0.document.taken + bytes }) else { return nil }
        entries[session]!.document.taken = taken < most ? taken : 0
        return taken < most ? nil : taken
    }

    mutating func remove(_ session: SessionID) {
        guard let name = entries.removeValue(forKey: session)?.name, named[name] == session else { return }
        named[name] = nil
    }

    mutating func removeAll() {
        entries = [:]
        named = [:]
    }
}
