package import CaretClient
import CaretCore
package import CaretWire

/// The documents of the server, as the server's events (the news) have reported them.
package struct ServerDocuments: Equatable, Sendable {
    package struct DocumentPosition: Equatable, Sendable {
        var epoch: String
        var revision: Int

        package init(epoch: String, revision: Int) {
            self.epoch = epoch
            self.revision = revision
        }

        package static func == (left: DocumentPosition, right: DocumentPosition) -> Bool {
            left.revision == right.revision && left.epoch.isSame(as: right.epoch)
        }

        /// Within an epoch, the higher revision is the later one.
        fileprivate func isLater(than other: DocumentPosition?) -> Bool {
            guard let other, other.epoch.isSame(as: epoch) else { return true }
            return other.revision < revision
        }
    }

    package private(set) var documents: [WireString: DocumentPosition] = [:]
    /// True after the server has reported all documents once.
    private(set) var isComplete = false
    /// A new list of documents that is not complete yet. Until it is complete, the old list is used.
    private var building: [WireString: DocumentPosition]?
    /// The number of documents in each folder, at any depth.
    private var folders: [WireString: Int] = [:]

    package init() {}

    /// Whether this folder contains documents.
    package func hasDocuments(in folder: WireString) -> Bool { folders[folder] != nil }

    private mutating func put(_ document: WireString, _ stand: DocumentPosition?) {
        let old = documents[document]
        documents[document] = stand
        if old == nil, stand != nil { for folder in document.folders { folders[folder, default: 0] += 1 } }
        guard old != nil, stand == nil else { return }
        for folder in document.folders {
            let count = folders[folder, default: 0] - 1
            folders[folder] = count > 0 ? count : nil
        }
    }

    package mutating func apply(_ news: FollowEvent) {
        switch news {
        case .restarted: building = [:]
        case .document(let summary):
            let stand = DocumentPosition(epoch: summary.epoch.string, revision: summary.revision.value)
            // The news may be older than a revision that was read or pushed here.
            if stand.isLater(than: documents[summary.document]) { put(summary.document, stand) }
            if building != nil, stand.isLater(than: building?[summary.document]) {
                building?[summary.document] = stand
            }
        case .gone(let gone): end(gone.document, epoch: gone.epoch)
        case .complete:
            let whole = building ?? documents
            (building, isComplete) = (nil, true)
            for gone in documents.keys where whole[gone] == nil { put(gone, nil) }
            for (document, stand) in whole { put(document, stand) }
        }
    }

    /// Removes a document that was renamed or deleted. A newer document with the same name, but another
    /// epoch, stays.
    mutating func end(_ document: WireString, epoch: WireString?) {
        func isMeant(_ stand: DocumentPosition?) -> Bool {
            guard let stand, let epoch else { return true }
            return epoch == WireString(stand.epoch)
        }
        if isMeant(documents[document]) { put(document, nil) }
        if isMeant(building?[document]) { building?[document] = nil }
    }

    /// Records a document that a request has read. `before` was its known state when the request was sent.
    /// News may have come since then, and may be newer. Within one epoch, the higher revision wins. Between
    /// two epochs, the news win, because they become right in the end.
    package mutating func found(
        _ document: WireString, _ stand: DocumentPosition, since before: DocumentPosition?
    ) {
        guard let told = documents[document], told.epoch.isSame(as: stand.epoch) else {
            if documents[document] == before { set(document, stand) }
            return
        }
        if stand.isLater(than: told) { set(document, stand) }
    }

    /// Whether the news are newer than `look`.
    package func knowsMore(than look: DocumentLook, of document: WireString) -> Bool {
        let told = documents[document]
        switch look {
        case .reported, .reportedMissing: return false
        case .missing: return told != nil
        case .read(let head, _):
            return told?.isLater(than: head.stand) ?? true
        }
    }

    /// Records the state of a document after a request of this sync. `stand` is nil if the document is gone.
    package mutating func set(_ document: WireString, _ stand: DocumentPosition?) {
        put(document, stand)
        if building != nil { building?[document] = stand }
    }
}

extension WireString {
    /// The folders that contain a path, the outermost first.
    ///
    /// Compares bytes, because a slash and a following combining character can be one Character.
    var folders: [WireString] {
        let ends = utf8.indices.filter { utf8[$0] == UInt8(ascii: "/") }
        return ends.map { WireString(String(string[..<$0])) }
    }
}
