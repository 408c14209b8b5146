import CaretConfig
import CaretCore
import CaretLog
import CaretServer
import CaretStore
import Glibc
import Synchronization

/// Logs the events of the store, and counts its commits.
final class StoreLog: Sendable {
    private let log: LogWriter
    private let space = Mutex(DiskSpace())
    private let commits: Mutex<CommitCounters>
    private let hasLost = Atomic(false)

    /// True if acked changes are no longer in the data folder.
    var hasLostData: Bool { hasLost.load(ordering: .relaxed) }

    private struct CommitCounters {
        let counters: LocalCounters
        /// The time when the current commit began.
        var startedAt: Moment?
    }

    init(_ log: LogWriter, _ counters: sending LocalCounters) {
        self.log = log
        commits = Mutex(CommitCounters(counters: counters))
    }

    func handle(_ event: StoreEvent) {
        switch space.withLock({ $0.change(after: event) }) {
        case .becameFull: log.write(LogEvent(.diskFull))
        case .freed: log.write(LogEvent(.diskFreed))
        case nil: break
        }
        switch event {
        case .renewed(.clientIsAhead(let document, let known)):
            log.write(
                LogEvent(
                    .epochsRenewed, .reason(Renewal.clientIsAhead(document, known: known).word),
                    .document(document.value), .revision(known.value)))
        case .renewed(let renewal): log.write(LogEvent(.epochsRenewed, .reason(renewal.word)))
        case .namesRebuilt: log.write(LogEvent(.namesRebuilt))
        case .clockIsBehind(let milliseconds):
            log.write(LogEvent(.clockDiffers, .milliseconds(-Int(milliseconds)), .reason("stored")))
        case .migrating(let number): log.write(LogEvent(.migrating, .count(Int(number))))
        case .committing: commits.withLock { $0.startedAt = .now }
        case .committed:
            commits.withLock { commits in
                guard let startedAt = commits.startedAt.take() else { return }
                commits.counters.add(to: .commits)
                commits.counters.record(Moment.now.nanoseconds - startedAt.nanoseconds, as: .commit)
            }
        case .trimmed(let document, let start):
            log.write(LogEvent(.historyTrimmed, .document(document.value), .revision(start.value)))
        case .redacted(let document): log.write(LogEvent(.historyRedacted, .document(document.value)))
        case .erased: log.write(LogEvent(.filesErased))
        case .purged(let document): log.write(LogEvent(.documentPurged, .document(document.value)))
        case .pushersForgotten(let document, let pushers):
            log.write(LogEvent(.pushersForgotten, .document(document.value), .count(pushers)))
        case .damaged(let document?): log.write(LogEvent(.documentDamaged, .document(document.value)))
        case .damaged(nil): log.write(LogEvent(.documentDamaged))
        case .damagedRow(let reason): log.write(LogEvent(.documentDamaged, .fault(reason)))
        case .diskFailed(let fault): exitAfterFailure(fault)
        // The process keeps running, because only this process can still read and export the documents.
        case .filesLost(let path):
            hasLost.store(true, ordering: .relaxed)
            log.write(LogEvent(.dataLost, .path(path)))
        case .writing, .erasing, .emptyingLog, .checkpointing, .checkpointed, .snapshotting, .merging,
            .merged, .diskFull,
            .checkpointDiskFull:
            break
        }
    }

    /// After a failed write, the content on disk is unknown until the database is opened again. So the
    /// process exits, and its supervisor restarts it.
    private func exitAfterFailure(_ fault: DatabaseFault) -> Never {
        log.write(LogEvent(.diskFailed, .sqlite(fault.code)))
        log.close()
        _exit(1)
    }
}

extension Renewal {
    fileprivate var word: LogWord {
        switch self {
        case .backup: "backup"
        case .behind: "behind"
        case .otherGeneration: "other_generation"
        case .noCounter: "no_counter"
        case .clientIsAhead: "put_back"
        }
    }
}
