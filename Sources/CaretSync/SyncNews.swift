package import CaretClient
import CaretCore
package import CaretWire

/// The documents of the server, as far as it has reported them.
package struct SyncNews: Equatable, Sendable {
    package struct Stand: Equatable, Sendable {
        var epoch: String
        var revision: Int

        package init(epoch: String, revision: Int) {
            self.epoch = epoch
            self.revision = revision
        }

        package static func == (left: Stand, right: Stand) -> Bool {
            left.revision == right.revision && left.epoch.isSame(as: right.epoch)
        }

        /// Within an epoch, the higher revision is the later one.
        fileprivate func isLater(than other: Stand?) -> Bool {
            guard let other, other.epoch.isSame(as: epoch) else { return true }
            return other.revision < revision
        }
    }

    package private(set) var documents: [WireString: Stand] = [:]
    /// All documents were reported once.
    private(set) var isComplete = false
    /// A new list, until it is complete. The old list is better than half of a new one.
    private var building: [WireString: Stand]?
    /// The number of documents in each folder, at any depth.
    private var folders: [WireString: Int] = [:]

    package init() {}

    /// Whether documents have names in this folder.
    package func hasDocuments(in folder: WireString) -> Bool { folders[folder] != nil }

    private mutating func put(_ document: WireString, _ stand: Stand?) {
        let old = documents[document]
        documents[document] = stand
        if old == nil, stand != nil { for folder in document.folders { folders[folder, default: 0] += 1 } }
        guard old != nil, stand == nil else { return }
        for folder in document.folders {
            let count = folders[folder, default: 0] - 1
            folders[folder] = count > 0 ? count : nil
        }
    }

    package mutating func hear(_ news: FollowEvent) {
        switch news {
        case .restarted: building = [:]
        case .document(let summary):
            let stand = Stand(epoch: summary.epoch.string, revision: summary.revision.value)
            // The news may be older than what was read or pushed here.
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

    /// The document with this epoch was renamed or deleted. A newer one with its name stays.
    mutating func end(_ document: WireString, epoch: WireString?) {
        func isMeant(_ stand: Stand?) -> Bool {
            guard let stand, let epoch else { return true }
            return epoch == WireString(stand.epoch)
        }
        if isMeant(documents[document]) { put(document, nil) }
        if isMeant(building?[document]) { building?[document] = nil }
    }

    /// A document that was read by a request made when the news were `before`. News since then may be newer:
    /// within one epoch revisions decide, and between two epochs the news are eventually right.
    package mutating func found(_ document: WireString, _ stand: Stand, since before: Stand?) {
        guard let told = documents[document], told.epoch.isSame(as: stand.epoch) else {
            if documents[document] == before { set(document, stand) }
            return
        }
        if stand.isLater(than: told) { set(document, stand) }
    }

    /// Whether there is more news than the caller knew.
    package func tellMore(than look: DocumentLook, of document: WireString) -> Bool {
        let told = documents[document]
        switch look {
        case .told, .toldMissing: return false
        case .missing: return told != nil
        case .read(let head, _):
            return told?.isLater(than: head.stand) ?? true
        }
    }

    /// A request that was made here has done this.
    package mutating func set(_ document: WireString, _ stand: Stand?) {
        put(document, stand)
        if building != nil { building?[document] = stand }
    }
}

extension WireString {
    /// The folders that contain a path, the outermost first.
    ///
    /// Splits bytes: a slash and a combining character after it can be one Character.
    var folders: [WireString] {
        let ends = utf8.indices.filter { utf8[$0] == UInt8(ascii: "/") }
        return ends.map { WireString(String(string[..<$0])) }
    }
}
