package import CaretClient
import CaretCore
package import CaretWire

/// The documents of the server, as the server's events (the news) have reported them.
package struct ServerDocuments: Equatable, Sendable {
    package struct DocumentPosition: Equatable, Sendable {
        var epoch: String
        var revision: Int
        /// The length of the text when it was last reported, or 0. It is not part of the position.
        var length: Int

        package init(epoch: String, revision: Int, length: Int = 0) {
            self.epoch = epoch
            self.revision = revision
            self.length = length
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
    private var newList: [WireString: DocumentPosition]?
    var isListing: Bool { newList != nil }
    /// The number of documents in each folder, at any depth.
    private var folders: [WireString: Int] = [:]

    package init() {}

    /// Whether this folder contains documents.
    package func hasDocuments(in folder: WireString) -> Bool { folders[folder] != nil }

    /// Whether a document with this epoch has this name.
    func lists(_ epoch: String, as name: WireString) -> Bool {
        documents[name]?.epoch.isSame(as: epoch) == true
    }

    /// The name of the document with this epoch. Nil if there is none. `name` is its last known name.
    func name(of epoch: String, knownAs name: WireString) -> WireString? {
        lists(epoch, as: name) ? name : documents.first { $0.value.epoch.isSame(as: epoch) }?.key
    }

    private mutating func put(_ document: WireString, _ position: DocumentPosition?) {
        let old = documents[document]
        documents[document] = position
        if old == nil, position != nil { for folder in document.folders { folders[folder, default: 0] += 1 } }
        guard old != nil, position == nil else { return }
        for folder in document.folders {
            let count = folders[folder, default: 0] - 1
            folders[folder] = count > 0 ? count : nil
        }
    }

    package mutating func apply(_ news: FollowEvent) {
        switch news {
        case .restarted: newList = [:]
        case .document(let summary):
            let position = DocumentPosition(
                epoch: summary.epoch.string, revision: summary.revision.value, length: summary.length)
            // The event may be older than a revision that this sync has already read or pushed.
            if position.isLater(than: documents[summary.document]) { put(summary.document, position) }
            if newList != nil, position.isLater(than: newList?[summary.document]) {
                newList?[summary.document] = position
            }
        case .gone(let gone): remove(gone.document, epoch: gone.epoch)
        case .complete:
            let whole = newList ?? documents
            (newList, isComplete) = (nil, true)
            for gone in documents.keys where whole[gone] == nil { put(gone, nil) }
            for (document, position) in whole { put(document, position) }
        }
    }

    /// Removes a document that was renamed or deleted. A newer document with the same name is not removed,
    /// because it has another epoch.
    mutating func remove(_ document: WireString, epoch: WireString?) {
        func isMeant(_ position: DocumentPosition?) -> Bool {
            guard let position, let epoch else { return true }
            return epoch == WireString(position.epoch)
        }
        if isMeant(documents[document]) { put(document, nil) }
        if isMeant(newList?[document]) { newList?[document] = nil }
    }

    /// Records a document that a request has read. `before` was the known state of the document when the
    /// request was sent. After that, an event of the server may have changed the known state. If both states
    /// have the same epoch, the higher revision is kept. If the epochs differ, the state from the event is
    /// kept. Later events will correct that state if it is out of date.
    package mutating func recordRead(
        _ document: WireString, _ position: DocumentPosition, since before: DocumentPosition?
    ) {
        guard let reported = documents[document], reported.epoch.isSame(as: position.epoch) else {
            if documents[document] == before { set(document, position) }
            return
        }
        if position.isLater(than: reported) { set(document, position) }
    }

    /// Whether the server's events have reported a newer state of the document than `observed`.
    package func isNewer(than observed: ObservedDocument, of document: WireString) -> Bool {
        let reported = documents[document]
        switch observed {
        case .reported, .reportedMissing: return false
        case .missing: return reported != nil
        case .read(let head, _):
            return reported?.isLater(than: head.position) ?? true
        }
    }

    /// Records the state of a document after a request of this sync. `position` is nil if the document no
    /// longer exists.
    package mutating func set(_ document: WireString, _ position: DocumentPosition?) {
        put(document, position)
        if newList != nil { newList?[document] = position }
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
