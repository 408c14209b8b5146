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
}

/// The documents that a connection has open, by the names that its client calls them.
struct OpenDocuments: Equatable, Sendable {
    private var documents: [WireString: OpenDocument] = [:]
    private var names: [SessionID: WireString] = [:]
    private var lastNumber = 0

    var count: Int { documents.count }
    var isEmpty: Bool { documents.isEmpty }

    subscript(name: WireString) -> OpenDocument? { documents[name] }

    subscript(session: SessionID) -> OpenDocument? { names[session].flatMap { documents[$0] } }

    func name(of session: SessionID) -> WireString? { names[session] }

    /// All of them, in the order of their opening.
    var sessions: [SessionID] { names.keys.sorted() }

    /// An id for another session; nil where the connection has had as many as there are.
    mutating func nextSession(of connection: ConnectionID) -> SessionID? {
        if lastNumber + 1 >= SessionID.most { return nil }
        lastNumber += 1
        return SessionID(connection, number: lastNumber)
    }

    mutating func add(_ document: OpenDocument, as name: WireString) {
        documents[name] = document
        names[document.session] = name
    }

    mutating func change(_ session: SessionID, _ change: (inout OpenDocument) -> Void) {
        guard let name = names[session], var document = documents[name] else { return }
        change(&document)
        documents[name] = document
    }

    mutating func remove(_ session: SessionID) {
        guard let name = names.removeValue(forKey: session) else { return }
        documents[name] = nil
    }

    mutating func removeAll() {
        documents = [:]
        names = [:]
    }
}
