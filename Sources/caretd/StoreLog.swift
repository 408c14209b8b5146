import CaretConfig
import CaretCore
import CaretLog
import CaretServer
import CaretStore
import Glibc
import Synchronization

/// Tells the operator what happens inside the store, and counts its commits.
final class StoreLog: Sendable {
    private let log: LogWriter
    private let space = Mutex(DiskSpace())
    private let commits: Mutex<CommitTally>
    private let lost = Atomic(false)

    /// What was acked is not in the data folder any more.
    var hasLostData: Bool { lost.load(ordering: .relaxed) }

    private struct CommitTally {
        let tally: Tally
        /// When the commit that is on its way began, by the clock that only goes forward.
        var begun: Moment?
    }

    init(_ log: LogWriter, _ tally: sending Tally) {
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
        case .renewed(.putBack(let document, let known)):
            log.write(
                LogEvent(
                    .epochsRenewed, .reason(Renewal.putBack(document, known: known).word),
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
        // What is open can still be read and taken out, and nowhere else: the process goes on for that alone.
        case .lost(let path):
            lost.store(true, ordering: .relaxed)
            log.write(LogEvent(.dataLost, .path(path)))
        case .writing, .checkpointing, .checkpointed, .snapshotting, .merging, .merged, .full,
            .checkpointFull:
            break
        }
    }

    /// What is on disk is known only once the file is opened anew, so the process ends, and whoever runs it starts it
    /// again.
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
        case .putBack: "put_back"
        }
    }
}
