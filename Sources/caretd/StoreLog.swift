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
    private let commits: Mutex<CommitTally>
    private let lost = Atomic(false)

    /// True if acked changes are no longer in the data folder.
    var hasLostData: Bool { lost.load(ordering: .relaxed) }

    private struct CommitTally {
        let tally: LocalCounters
        /// The time when the current commit began.
        var begun: Moment?
    }

    init(_ log: LogWriter, _ tally: sending LocalCounters) {
        self.log = log
        commits = Mutex(CommitTally(tally: tally))
    }

    func handle(_ event: StoreEvent) {
        switch space.withLock({ $0.news(of: event) }) {
        case .full: log.write(LogEvent(.diskFull))
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
        case .migrating(let number): log.write(LogEvent(.migrating, .count(Int(number))))
        case .committing: commits.withLock { $0.begun = .now }
        case .committed:
            commits.withLock { commits in
                guard let begun = commits.begun.take() else { return }
                commits.tally.add(to: .commits)
                commits.tally.took(Moment.now.nanoseconds - begun.nanoseconds, .commit)
            }
        case .trimmed(let document, let start):
            log.write(LogEvent(.historyTrimmed, .document(document.value), .revision(start.value)))
        case .purged(let document): log.write(LogEvent(.documentPurged, .document(document.value)))
        case .forgot(let document, let pushers):
            log.write(LogEvent(.pushersForgotten, .document(document.value), .count(pushers)))
        case .damaged(let document?): log.write(LogEvent(.documentDamaged, .document(document.value)))
        case .damaged(nil): log.write(LogEvent(.documentDamaged))
        case .failed(let fault): end(fault)
        // The process keeps running, because open documents can still be read and exported from it, and only
        // from it.
        case .lost(let path):
            lost.store(true, ordering: .relaxed)
            log.write(LogEvent(.dataLost, .path(path)))
        case .writing, .checkpointing, .checkpointed, .snapshotting, .merging, .merged, .full,
            .checkpointFull:
            break
        }
    }

    /// After a failed write, the content on disk is unknown until the database is opened again. So the
    /// process exits, and its supervisor restarts it.
    private func end(_ fault: DatabaseFault) -> Never {
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
