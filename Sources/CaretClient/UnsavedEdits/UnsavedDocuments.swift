import CaretCore
package import CaretReplica
package import CaretWire

/// A closed document with unsaved edits.
package struct UnsavedDocument {
    package let key: DocumentKey
    let name: WireString
    package fileprivate(set) var replica: Replica
    /// Whether opening the document creates it on the server if it does not exist.
    let creates: Bool
    /// Those of the unsaved edits that an earlier process had kept: see `DocumentState.earlier`.
    let earlier: Change?

    package init(
        key: DocumentKey, name: WireString, replica: Replica, creates: Bool, earlier: Change? = nil
    ) {
        self.key = key
        self.name = name
        self.replica = replica
        self.creates = creates
        self.earlier = earlier
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
    /// Why the file of a document could not be written or removed. If this happened once, it can soon happen again, so
    /// only a file that is written ends it.
    private var faults: [DocumentKey: UnsavedEditsFault] = [:]
    /// When files that could not be written are tried again. Nil if there are none.
    private(set) var retryAt: Moment?

    /// How long to wait before a file that could not be written is tried again.
    package static let pause: Milliseconds = 5_000

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
            key: key, name: document.name, replica: replica, creates: document.creates,
            earlier: document.earlier)
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
        let closed = closed[key]
        let name = document?.name ?? closed?.name
        guard let name, let savedReplica = (document?.replica ?? closed?.replica)?.savedReplica else {
            withFile.remove(key)
            return .remove
        }
        withFile.insert(key)
        let creates = document?.creates ?? closed?.creates ?? false
        let earlier = document == nil ? closed?.earlier : document?.earlier
        return .write(UnsavedEditsFile(savedReplica, of: name.string, creates: creates, earlier: earlier))
    }

    /// Returns false if the program knows this fault.
    mutating func failed(_ key: DocumentKey, _ fault: UnsavedEditsFault, at now: Moment) -> Bool {
        withFile.insert(key)
        retryAt = now + UnsavedDocuments.pause
        return faults.updateValue(fault, forKey: key) != fault
    }

    /// The file of a document was written. Returns true if it could not be written before.
    mutating func written(_ key: DocumentKey) -> Bool { faults.removeValue(forKey: key) != nil }

    /// Why the file of a document could not be written or removed. Nil after the next time that it was written.
    func fault(of key: DocumentKey) -> UnsavedEditsFault? { faults[key] }

    /// Whether a document has a file, or may have one.
    func hasFile(_ key: DocumentKey) -> Bool { withFile.contains(key) }

    /// Makes the files outdated that could not be written, because now they are tried again. Returns the keys of
    /// their documents. `isUnsaved` says whether an open document has unsaved edits.
    mutating func retry(isUnsaved: (DocumentKey) -> Bool) -> [DocumentKey] {
        retryAt = nil
        let keys = faults.keys.filter { closed[$0] != nil || isUnsaved($0) }
        return keys.filter { outdated.insert($0).inserted }.sorted()
    }

    // A number that the client uses for something else does not show that a file is older than the last push.

    /// Records that the client uses this number for the document with this name. The files of closed documents must
    /// have the number before it is sent: returns the keys of these documents.
    mutating func noteUsed(_ seq: Seq, of name: WireString) -> [DocumentKey] {
        let keys = closed.values.filter { $0.name == name && $0.replica.nextSeq <= seq }.map(\.key)
        for key in keys { closed[key]?.replica.nextSeq = seq.next }
        return keys.filter { outdated.insert($0).inserted }.sorted()
    }
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
package enum UnsavedEditsFileAction: Equatable {
    case write(UnsavedEditsFile)
    case remove
}
