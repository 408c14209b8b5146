package import CaretLog

/// Moves a whole store to a new store of another kind.
///
/// The source is retired only after the target is complete, compared and durable. So after a crash at any step, at least
/// one of the two stores is complete and usable.
package struct StoreMove<Source: MoveSource, Target: MoveTarget> {
    package enum Stage: Sendable {
        case checking, copying, comparing, checkingCopy
    }

    private let source: Source
    private let target: Target
    private let note: MoveNote
    /// Receives the stage, the number of documents or rows that are done, and the number of all.
    private let progress: (_ stage: Stage, _ done: Int, _ all: Int) -> Void

    package init(
        from source: Source, to target: Target, _ note: MoveNote,
        progress: @escaping (_ stage: Stage, _ done: Int, _ all: Int) -> Void
    ) {
        (self.source, self.target, self.note, self.progress) = (source, target, note, progress)
    }

    /// Returns what was moved.
    package func run() throws(StoreMoveFault) -> CheckReport {
        let found = try source.rows.check { progress(.checking, $0.documents, $0.allDocuments) }
        if !found.isSound { throw .damaged(found) }
        var all = 0
        for table in MovedTable.allCases { all += try source.rows.rowCount(of: table) }
        let written = try digest(of: source.rows, .copying, all) { row, table throws(StoreMoveFault) in
            try target.write(row, to: table)
        }
        try target.finish(source.identity)
        let read = try digest(of: target.rows, .comparing, all) { _, _ in }
        let copied = try target.rows.check { progress(.checkingCopy, $0.documents, $0.allDocuments) }
        if read != written || copied != found {
            throw .failed("the copy differs from the store, so it was discarded")
        }
        try source.prepareToRetire(note)
        try target.publish()
        try source.retire()
        return copied
    }

    private func digest(
        of store: some MovableRows, _ stage: Stage, _ all: Int,
        _ body: (MovedRow, MovedTable) throws(StoreMoveFault) -> Void
    ) throws(StoreMoveFault) -> [UInt8] {
        var (digest, done) = (RowDigest(), 0)
        for table in MovedTable.allCases {
            try store.forEachRow(of: table) { row throws(StoreMoveFault) in
                digest.add(row, of: table)
                try body(row, table)
                done += 1
                progress(stage, done, all)
            }
        }
        return digest.value()
    }
}
