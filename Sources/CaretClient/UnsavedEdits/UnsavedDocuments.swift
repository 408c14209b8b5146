import CaretCore
package import CaretReplica
package import CaretWire

/// A document of which something is unsaved, as it was kept.
package struct KeptReplica {
    package let key: DocumentKey
    let name: WireString
    package let replica: Replica
    /// It is made where there is none.
    let creates: Bool

    package init(key: DocumentKey, name: WireString, replica: Replica, creates: Bool) {
        self.key = key
        self.name = name
        self.replica = replica
        self.creates = creates
    }
}

/// Unsaved edits of documents that are not open, and which documents have some in a file.
struct KeptReplicas {
    /// Two may have the same name: a document was renamed to the name of another one, or a power loss brought a file back.
    private var closed: [DocumentKey: KeptReplica] = [:]
    /// Documents whose file is not as they are.
    private var unkept: Set<DocumentKey> = []
    /// Documents that have a file.
    private var filed: Set<DocumentKey> = []
    /// Why the last order for a document could not be carried out.
    private var faults: [DocumentKey: KeepingFault] = [:]

    init(_ found: [KeptReplica]) {
        for document in found {
            closed[document.key] = document
            filed.insert(document.key)
        }
    }

    /// Each name once.
    var names: [WireString] { Set(closed.values.map(\.name)).sorted() }

    /// Removes and returns the oldest of the closed documents of a name. Any others stay, for the next calls.
    mutating func open(_ name: WireString) -> KeptReplica? {
        let oldest = closed.values.filter { $0.name == name }.map(\.key).min()
        return oldest.flatMap { closed.removeValue(forKey: $0) }
    }

    mutating func close(_ document: DocumentState, _ key: DocumentKey) {
        if !document.replica.hasUnsaved { return }
        var replica = document.replica
        // Nobody is left to do what it asks for. It asks again once it is opened and connected.
        _ = replica.cutOff()
        closed[key] = KeptReplica(
            key: key, name: document.name, replica: replica, creates: document.creates)
    }

    /// Whether the file of a document, to which something has happened, must be looked after.
    mutating func happened(to document: DocumentState, _ key: DocumentKey) -> Bool {
        guard document.replica.hasUnsaved || filed.contains(key) else { return false }
        return unkept.insert(key).inserted
    }

    /// What the file of a document is to hold; nil where it is right as it is.
    mutating func takeOrder(for key: DocumentKey, _ document: DocumentState?) -> KeepingOrder? {
        guard unkept.remove(key) != nil else { return nil }
        faults[key] = nil
        let closed = closed[key]
        let name = document?.name ?? closed?.name
        guard let name, let keepsake = (document?.replica ?? closed?.replica)?.keepsake else {
            filed.remove(key)
            return .forget
        }
        filed.insert(key)
        let creates = document?.creates ?? closed?.creates ?? false
        return .keep(KeptDocument(keepsake, of: name.string, creates: creates))
    }

    mutating func failed(_ key: DocumentKey, _ fault: KeepingFault) { faults[key] = fault }

    /// Why what is unsaved of a document would not outlive the process; nil where it would.
    func fault(of key: DocumentKey) -> KeepingFault? { faults[key] }
}

extension KeptReplicas {
    /// Throws the first invariant that does not hold.
    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.check(
            "each closed document is filed under its key", closed.allSatisfy { $0.key == $0.value.key })
        try BrokenInvariant.check(
            "a closed document is kept only with something unsaved",
            closed.values.allSatisfy { $0.replica.hasUnsaved })
        try BrokenInvariant.check(
            "a closed document is not connected", closed.values.allSatisfy { $0.replica.link == .offline })
    }
}

enum KeepingOrder: Equatable {
    case keep(KeptDocument)
    case forget
}
