import CaretCore
import CaretLog
import Synchronization

/// What all readers of a store remember about histories: texts at some revisions, and the segments that were
/// found sound. Everything in it can be read from disk again.
package final class HistoryCache: Sendable {
    private struct State {
        var ladder = TextLadder<HistoryReader.CheckedText>()
        /// The fingerprints of large segments that were found sound.
        var sound: Set<Digest> = []
    }

    private let state = Mutex(State())

    /// Enough for 60 million revisions. A full set is emptied.
    private static let mostSegments = 4096
    /// The fingerprint of a smaller segment costs about as much as its chain.
    static let leastChanges = 64

    package init() {}

    // MARK: Texts

    func rung(of document: DocumentID, through revision: Revision) -> HistoryReader.CheckedText? {
        state.withLock { $0.ladder.text(of: document, through: revision)?.text }
    }

    func add(_ rung: HistoryReader.CheckedText, of document: DocumentID) {
        // Rungs share the parts of the text that did not change between them. This estimate ignores that.
        let (revision, bytes) = (rung.snapshot.revision, 1024 + rung.snapshot.text.length.utf8 * 9 / 8)
        state.withLock { $0.ladder.add(rung, at: revision, bytes: bytes, of: document) }
    }

    // MARK: Segments

    func isSound(_ fingerprint: Digest) -> Bool { state.withLock { $0.sound.contains(fingerprint) } }

    func remember(sound fingerprint: Digest) {
        state.withLock { state in
            if state.sound.count >= HistoryCache.mostSegments { state.sound = [] }
            state.sound.insert(fingerprint)
        }
    }
}
