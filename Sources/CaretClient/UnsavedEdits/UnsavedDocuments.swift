import CaretCore
package import CaretReplica
package import CaretWire

/// A closed document with unsaved edits.
package struct UnsavedDocument {
    package let key: DocumentKey
    let name: WireString
    package let replica: Replica
    /// Whether opening the document creates it on the server if it does not exist.
    let creates: Bool

    package init(key: DocumentKey, name: WireString, replica: Replica, creates: Bool) {
        self.key = key
        self.name = name
        self.replica = replica
        self.creates = creates
    }
}

/// The unsaved edits of closed documents, and the state of the files that hold unsaved edits.
struct UnsavedDocuments {
    /// Two documents may have the same name: one was renamed to the name of the other, or a power loss
    /// brought a removed file back.
    private var closed: [DocumentKey: UnsavedDocument] = [:]
    /// Documents whose file is out of date.
    private var outdated: Set<DocumentKey> = []
    /// Documents that have a file.
    private var withFile: Set<DocumentKey> = []
    /// Why the file of a document could not be written or removed last time.
    private var faults: [DocumentKey: UnsavedEditsFault] = [:]

    init(_ found: [UnsavedDocument]) {
        for document in found {
            closed[document.key] = document
            withFile.insert(document.key)
        }
    }

    /// The names of the closed documents, without duplicates.
    var names: [WireString] { Set(closed.values.map(\.name)).sorted() }

    /// Removes and returns the oldest closed document with this name. Other documents with this name stay for
    /// the next calls.
    mutating func open(_ name: WireString) -> UnsavedDocument? {
        let oldest = closed.values.filter { $0.name == name }.map(\.key).min()
        return oldest.flatMap { closed.removeValue(forKey: $0) }
    }

    mutating func close(_ document: DocumentState, _ key: DocumentKey) {
        if !document.replica.hasUnsaved { return }
        var replica = document.replica
        // The document is closed, so nobody runs the actions that the replica returns here. The replica
        // returns new actions when the document is opened and connected again.
        _ = replica.disconnected()
        closed[key] = UnsavedDocument(
            key: key, name: document.name, replica: replica, creates: document.creates)
    }

    /// Records that a document has changed. Returns true if this change made its file out of date.
    mutating func documentChanged(_ document: DocumentState, _ key: DocumentKey) -> Bool {
        guard document.replica.hasUnsaved || withFile.contains(key) else { return false }
        return outdated.insert(key).inserted
    }

    /// What to do with the file of a document. Nil if the file is up to date.
    mutating func nextFileAction(for key: DocumentKey, _ document: DocumentState?) -> UnsavedEditsFileAction?
    {
        guard outdated.remove(key) != nil else { return nil }
        faults[key] = nil
        let closed = closed[key]
        let name = document?.name ?? closed?.name
        guard let name, let savedReplica = (document?.replica ?? closed?.replica)?.savedReplica else {
            withFile.remove(key)
            return .remove
        }
        withFile.insert(key)
        let creates = document?.creates ?? closed?.creates ?? false
        return .write(UnsavedEditsFile(savedReplica, of: name.string, creates: creates))
    }

    mutating func failed(_ key: DocumentKey, _ fault: UnsavedEditsFault) { faults[key] = fault }

    /// Why the unsaved edits of a document would be lost when the process ends. Nil if the edits would
    /// survive.
    func fault(of key: DocumentKey) -> UnsavedEditsFault? { faults[key] }
}

extension UnsavedDocuments {
    /// Throws the first invariant that is broken.
    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "each closed document is stored under its key", closed.allSatisfy { $0.key == $0.value.key })
        try BrokenInvariant.check(
            "a closed document is kept only if it has unsaved edits",
            closed.values.allSatisfy { $0.replica.hasUnsaved })
        try BrokenInvariant.check(
            "a closed document is not connected", closed.values.allSatisfy { $0.replica.link == .offline })
    }
}

/// What to do with the file of a document.
enum UnsavedEditsFileAction: Equatable {
    case write(UnsavedEditsFile)
    case remove
}
