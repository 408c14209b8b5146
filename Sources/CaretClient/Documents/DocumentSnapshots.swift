public import CaretCore
public import CaretReplica
import CaretWire

/// An open document at one moment.
public struct DocumentSnapshot: Equatable, Sendable {
    public let name: String
    /// The text with all edits of the user, saved or unsaved.
    public let text: TextBuffer
    /// The number of the newest revision that `text` contains.
    public let revision: Revision
    public let state: SavingState
    /// The user's own selections in `text`.
    public let selections: [Selection]
    /// The other sessions, with their selections in `text`.
    public let peers: [DocumentPeer]
    /// Why unsaved edits would not survive the end of the program: see `LiveDocument.keepingFault`.
    public let keepingFault: UnsavedEditsFault?

    init(_ document: DocumentState, keepingFault: UnsavedEditsFault?) {
        self.keepingFault = keepingFault
        name = document.name.string
        text = document.replica.text
        revision = document.replica.revision
        state = document.state
        selections = document.replica.selections
        peers = document.peers
    }
}

/// The snapshots of an open document: the first one at once, and then one after each update.
public struct DocumentSnapshots: AsyncSequence, Sendable {
    private let document: LiveDocument

    init(_ document: LiveDocument) { self.document = document }

    public func makeAsyncIterator() -> Iterator {
        // The updates begin before the first snapshot is read, so that no update is missed between them.
        Iterator(document: document, updates: document.updates.makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let document: LiveDocument
        fileprivate var updates: DocumentUpdates.Iterator
        private var isFirst = true

        fileprivate init(document: LiveDocument, updates: DocumentUpdates.Iterator) {
            self.document = document
            self.updates = updates
        }

        /// Returns nil at the end, or if the task was cancelled.
        public mutating func next() async -> DocumentSnapshot? {
            if isFirst {
                isFirst = false
                return document.snapshot()
            }
            guard await updates.next() != nil else { return nil }
            // The next snapshot contains all updates that have arrived.
            updates.skipWaiting()
            return document.snapshot()
        }
    }
}
