import CaretLog

/// Moves a whole store to a new store of another kind.
///
/// Without `--undo`, servers can never use both stores: the source is blocked before the target becomes visible. The
/// source is retired only after the target is complete, compared and durable. After a crash at any step, a second run
/// ends the move.
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

    package func run() throws(StoreMoveFault) -> MoveOutcome {
        // The other target may have a complete copy, so this move would make a second one.
        if let begun = source.unfinishedMove, !note.hasTarget(of: begun) {
            throw .failed(begun, advice: MoveNote.advice)
        }
        if let digest = target.copiedDigest { return try end(copied: digest) }
        let found = try source.rows.check { progress(.checking, $0.documents, $0.allDocuments) }
        if !found.isSound { throw .damaged(found) }
        var all = 0
        for table in MovedTable.allCases { all += try source.rows.rowCount(of: table) }
        let written = try digest(of: source.rows, .copying, all) { row, table throws(StoreMoveFault) in
            try target.write(row, to: table)
        }
        try target.finish(source.identity, digest: written)
        let read = try digest(of: target.rows, .comparing, all) { _, _ in }
        let copied = try target.rows.check { progress(.checkingCopy, $0.documents, $0.allDocuments) }
        if read != written || copied != found {
            throw .failed("the copy differs from the store, so it was discarded")
        }
        do throws(StoreMoveFault) {
            try source.blockServers(note)
            try target.publish()
        } catch {
            // If this fails too, a server that starts on the source says what to do.
            if case .failed = error { try? source.unblockServers() }
            throw error
        }
        try source.retire(note)
        return MoveOutcome(report: copied, copy: .made)
    }

    /// Ends an earlier move, which has published its copy of all rows with this digest.
    ///
    /// Only the digest of the source counts. If it is the same, everything in the source is also in the target, whatever
    /// happened to the stores since.
    private func end(copied digest: [UInt8]) throws(StoreMoveFault) -> MoveOutcome {
        let isSourceChanged = try self.digest(of: source.rows) != digest
        let isTargetChanged = try self.digest(of: target.rows) != digest
        if isSourceChanged { throw StoreMove.difference(isTargetChanged: isTargetChanged) }
        let report = try target.rows.check { progress(.checkingCopy, $0.documents, $0.allDocuments) }
        if !report.isSound {
            throw .failed(
                "an earlier run has copied everything, but the copy is damaged",
                advice:
                    "check the new store with caret verify; to use the old one, run caret move --from STORE --undo"
            )
        }
        try source.blockServers(note)
        // The earlier run may have ended before the copy was durable.
        try target.publish()
        try source.retire(note)
        return MoveOutcome(report: report, copy: .found(isChanged: isTargetChanged))
    }

    private static func difference(isTargetChanged: Bool) -> StoreMoveFault {
        .failed(
            "the new store has a copy from an earlier move, and the old store differs from what was copied"
                + (isTargetChanged ? "; the copy has changed since, too" : ""),
            advice: "decide which store to keep; to move the old one, use a new database or folder")
    }

    private func digest(of store: some MovableRows) throws(StoreMoveFault) -> [UInt8] {
        var all = 0
        for table in MovedTable.allCases { all += try store.rowCount(of: table) }
        return try digest(of: store, .comparing, all) { _, _ in }
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
