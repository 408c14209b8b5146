package import CaretCore
package import CaretLog

/// Texts at some revisions, kept in memory. A read of an old text starts at the nearest of them, its rung,
/// instead of the nearest snapshot on disk.
///
/// The distance of two rungs grows with their age, as on a ladder (`LadderPolicy`). The texts of all
/// documents together have at most `mostBytes`.
package struct TextLadder<Text> {
    private struct Rung {
        let revision: Revision
        let text: Text
        let bytes: Int
    }

    /// The rungs of one document, in the order of their revisions.
    private struct Rungs {
        var rungs: [Rung] = []
        /// Doubled each time the memory is not enough for this document alone.
        var spacing = LadderPolicy.spacing
        /// When a read last used a rung of this document.
        var used = 0

        var bytes: Int { rungs.reduce(0) { $0 + $1.bytes } }
        var revisions: [Int] { rungs.map(\.revision.value) }
    }

    private let mostBytes: Int
    private var documents: [DocumentID: Rungs] = [:]
    /// The bytes of all rungs together.
    package private(set) var bytes = 0
    private var uses = 0

    package init(mostBytes: Int = LadderPolicy.mostBytes) { self.mostBytes = mostBytes }

    /// The newest rung at `revision` or before; nil if there is none.
    package mutating func text(
        of document: DocumentID, through revision: Revision
    ) -> (revision: Revision, text: Text)? {
        guard let rungs = documents[document]?.rungs else { return nil }
        let end = rungs.indices.partitionPoint { rungs[$0].revision > revision }
        if end == 0 { return nil }
        use(document)
        return (rungs[end - 1].revision, rungs[end - 1].text)
    }

    /// Adds a rung of this size. Drops rungs that are not needed, or for which there is not enough memory.
    package mutating func add(
        _ text: Text, at revision: Revision, bytes size: Int, of document: DocumentID
    ) {
        if size > mostBytes / LadderPolicy.fewestRungs { return }
        var known = documents[document] ?? Rungs()
        let index = known.rungs.indices.partitionPoint { known.rungs[$0].revision >= revision }
        if index < known.rungs.count, known.rungs[index].revision == revision { return }
        known.rungs.insert(Rung(revision: revision, text: text, bytes: size), at: index)
        bytes += size
        documents[document] = known
        use(document)
        thin(document)
        if bytes > mostBytes { makeRoom(for: document) }
    }

    /// Drops all rungs of a document.
    package mutating func remove(_ document: DocumentID) {
        bytes -= documents.removeValue(forKey: document)?.bytes ?? 0
    }

    private mutating func use(_ document: DocumentID) {
        uses += 1
        documents[document]?.used = uses
    }

    /// Drops the rungs of the documents that were not used for the longest time. If that is not enough,
    /// doubles the distance of this document's rungs.
    private mutating func makeRoom(for document: DocumentID) {
        // Drops an eighth at once, so that the documents are rarely sorted.
        let bound = mostBytes - mostBytes / 8
        for (id, rungs) in documents.sorted(by: { $0.value.used < $1.value.used }) where id != document {
            if bytes <= bound { break }
            bytes -= rungs.bytes
            documents[id] = nil
        }
        while bytes > mostBytes {
            documents[document]?.spacing *= 2
            thin(document)
        }
    }

    private mutating func thin(_ document: DocumentID) {
        guard var known = documents[document] else { return }
        let kept = LadderPolicy.kept(known.revisions, spacing: known.spacing)
        if kept.count == known.rungs.count { return }
        bytes -= known.bytes
        known.rungs = kept.map { known.rungs[$0] }
        bytes += known.bytes
        documents[document] = known
    }

    /// The revisions of a document's rungs.
    package func revisions(of document: DocumentID) -> [Int] { documents[document]?.revisions ?? [] }
}
