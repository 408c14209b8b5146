package import CaretCore
package import CaretLog
import Synchronization

/// What all readers of a store remember about histories: texts at some revisions, who changed their lines, and the
/// segments that were found sound. Everything in it can be read from disk again.
package final class HistoryCache: Sendable {
    private struct State {
        var ladder = TextLadder<Rung>()
        /// The fingerprints of large segments that were found sound.
        var sound: Set<Digest> = []
        var blames = BlameCache()
    }

    private struct Rung {
        /// The document's part of the epoch. A redaction changes it, and all texts.
        let epoch: UInt64
        let text: CheckedText
    }

    private let state = Mutex(State())

    /// Enough for 60 million revisions. A full set is emptied.
    private static let mostSegments = 4096
    /// The fingerprint of a smaller segment costs about as much as its chain.
    package static let leastChanges = 64

    package init() {}

    // MARK: Texts

    package func rung(of entry: DocumentEntry, through revision: Revision) -> CheckedText? {
        let found = state.withLock { $0.ladder.text(of: entry.id, through: revision)?.text }
        guard let found, found.epoch == entry.epoch.document else { return nil }
        return found.text
    }

    /// Drops all texts of a document, and who changed them.
    package func forget(_ document: DocumentID) {
        state.withLock {
            $0.ladder.remove(document)
            $0.blames.remove(document)
        }
    }

    package func add(_ text: CheckedText, of entry: DocumentEntry) {
        // Rungs share the parts of the text that did not change between them. This estimate ignores that.
        let (revision, bytes) = (text.snapshot.revision, 1024 + text.snapshot.text.length.utf8 * 9 / 8)
        let rung = Rung(epoch: entry.epoch.document, text: text)
        state.withLock { $0.ladder.add(rung, at: revision, bytes: bytes, of: entry.id) }
    }

    // MARK: Who changed texts

    func blame(of entry: DocumentEntry, through revision: Revision) -> CheckedBlame? {
        state.withLock { $0.blames.blame(of: entry, through: revision) }
    }

    func add(_ blame: CheckedBlame, of entry: DocumentEntry) {
        state.withLock { $0.blames.add(blame, of: entry) }
    }

    // MARK: Segments

    package func isSound(_ fingerprint: Digest) -> Bool { state.withLock { $0.sound.contains(fingerprint) } }

    package func remember(sound fingerprint: Digest) {
        state.withLock { state in
            if state.sound.count >= HistoryCache.mostSegments { state.sound = [] }
            state.sound.insert(fingerprint)
        }
    }
}
