import CaretConfig
import CaretLog
import CaretPostgres
import CaretServer
import Synchronization

/// Logs the events of a store over PostgreSQL, and counts its commits.
final class PostgresStoreLog: Sendable {
    private let log: LogWriter
    private let state: Mutex<State>

    private struct State {
        let counters: LocalCounters
        /// Whether a connection was lost, and none was made since then.
        var isAway = false
    }

    init(_ log: LogWriter, _ counters: sending LocalCounters) {
        self.log = log
        state = Mutex(State(counters: counters))
    }

    func handle(_ event: PostgresEvent) {
        switch event {
        case .renewed(.clientIsAhead(let document, let known)):
            log.write(
                LogEvent(
                    .epochsRenewed, .reason("put_back"), .document(document.value), .revision(known)))
        case .renewed(.behind): log.write(LogEvent(.epochsRenewed, .reason("behind")))
        case .renewed(.otherCluster): log.write(LogEvent(.epochsRenewed, .reason("other_generation")))
        case .migrating(let number): log.write(LogEvent(.migrating, .count(Int(number))))
        case .committing: break
        case .committed(let nanoseconds):
            state.withLock { state in
                state.counters.add(to: .commits)
                state.counters.record(nanoseconds, as: .commit)
            }
        case .conflicted(let count): add(count, to: .storeConflicts)
        case .outcomeUnknown: add(1, to: .storeUnknownOutcomes)
        case .bus(let traffic): count(traffic)
        case .clockDiffers(let ahead):
            log.write(LogEvent(.clockDiffers, .milliseconds(Int(ahead)), .reason("postgresql")))
        case .nameLost(let name, let other):
            log.write(
                LogEvent(.nameLost, .fault("another server is called \(name), so this one is now \(other)")))
        // All connections are lost at the same time, so only the first loss and the first new connection are logged. An idle
        // connection may be made again much later.
        case .lost(let reason):
            if setAway(true) { log.write(LogEvent(.storeAway, .fault(reason))) }
        case .reconnected:
            add(1, to: .storeReconnections)
            if setAway(false) { log.write(LogEvent(.storeBack)) }
        case .unreplicated(let isUnreplicated):
            log.write(LogEvent(isUnreplicated ? .storeUnreplicated : .storeReplicated))
        case .full(let isFull): log.write(LogEvent(isFull ? .diskFull : .diskFreed))
        case .failed(let error): log.write(LogEvent(.storeFailed, .sqlState(error.state)))
        case .damaged(let document?): log.write(LogEvent(.documentDamaged, .document(document.value)))
        case .damaged(nil): log.write(LogEvent(.documentDamaged))
        case .damagedRow(let reason): log.write(LogEvent(.documentDamaged, .fault(reason)))
        case .trimmed(let document, let start):
            log.write(LogEvent(.historyTrimmed, .document(document.value), .revision(start)))
        case .redacted(let document): log.write(LogEvent(.historyRedacted, .document(document.value)))
        case .purged(let document): log.write(LogEvent(.documentPurged, .document(document.value)))
        case .pushersForgotten(let document, let pushers):
            log.write(LogEvent(.pushersForgotten, .document(document.value), .count(pushers)))
        }
    }

    /// Returns whether this changes something.
    private func setAway(_ isAway: Bool) -> Bool {
        state.withLock { state in
            defer { state.isAway = isAway }
            return state.isAway != isAway
        }
    }

    private func count(_ traffic: PostgresEvent.BusTraffic) {
        switch traffic {
        case .sent(let messages, let notifications):
            add(messages, to: .busSent)
            add(notifications, to: .newsSent)
        case .received(let messages, let notifications):
            add(messages, to: .busHeard)
            add(notifications, to: .newsHeard)
        case .missed: add(1, to: .busMissed)
        case .found(let count): add(count, to: .nodesFound)
        case .lost(let count): add(count, to: .nodesLost)
        }
    }

    private func add(_ count: Int, to counter: Counter) {
        state.withLock { $0.counters.add(count, to: counter) }
    }
}
