import CaretConfig
import CaretLog
import CaretWire
import Glibc

/// Runs checks and backups of the store, which take long.
struct StoreMaintenance: Sendable {
    typealias Progress = @Sendable (MaintenanceProgress) -> Void

    private let store: any ServedStore
    private let folder: String
    private let log: LogWriter

    /// The folder for backups, inside the data folder. The requester cannot choose the path, because a token
    /// must not allow writing files elsewhere.
    private var backups: String { folder + "/backups" }

    /// Nanoseconds between two progress messages.
    private static let pause: UInt64 = 1_000_000_000

    init(_ store: any ServedStore, in folder: String, _ log: LogWriter) {
        self.store = store
        self.folder = folder
        self.log = log
    }

    func verify(
        _ document: DocumentID?, _ progress: @escaping Progress
    ) async -> Result<Verified, StoreRefusal> {
        let reportProgress = StoreMaintenance.throttled(progress)
        do throws(MaintenanceFault) {
            let report = try await store.check(document) {
                reportProgress(MaintenanceProgress(done: $0.documents, of: $0.allDocuments))
            }
            if let event = LogEvent(of: report, .checkFailed) { log.write(event) }
            return .success(Verified(report))
        } catch {
            log.write(LogEvent(of: error, .checkFailed))
            return .failure(error.refusal)
        }
    }

    func backUp(
        at time: Int64, _ progress: @escaping Progress
    ) async -> Result<BackedUp, StoreRefusal> {
        let reportProgress = StoreMaintenance.throttled(progress)
        // For example `caret-20261121-081500-123.sqlite`.
        let digits = LogLine.timestamp(time).filter { !"-:Z".contains($0) }
        let file = "caret-" + digits.map { "T.".contains($0) ? "-" : String($0) }.joined() + ".sqlite"
        let path = backups + "/" + file
        do throws(MaintenanceFault) {
            try StoreMaintenance.makeFolder(backups)
            let report = try await store.copy(to: path, at: time) {
                reportProgress(MaintenanceProgress(done: $0, of: $1))
            }
            log.write(LogEvent(.backupMade, .path(path)))
            return .success(
                BackedUp(
                    file: WireString(file), bytes: StoreMaintenance.size(of: path),
                    documents: report.documents))
        } catch {
            log.write(LogEvent(of: error, .backupFailed))
            return .failure(error.refusal)
        }
    }

    private static func makeFolder(_ path: String) throws(MaintenanceFault) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw .storage(errno == ENOSPC || errno == EDQUOT ? .full : .failed, .errno(errno))
    }

    private static func size(of path: String) -> Int {
        var found = stat()
        return stat(path, &found) == 0 ? Int(found.st_size) : 0
    }

    private static func throttled(_ progress: @escaping Progress) -> Progress {
        let next = Throttle(pause: pause)
        return { if next.isDue() { progress($0) } }
    }
}

extension Verified {
    fileprivate init(_ report: CheckReport) {
        self.init(
            documents: report.documents, revisions: report.revisions,
            findings: report.findings.map { finding in
                Finding(
                    number: finding.document.map { Int($0.value) },
                    document: finding.name.map { WireString($0.description) },
                    message: WireString(finding.fault.words))
            }, hasMore: report.hasMore)
    }
}

extension LogEvent {
    /// The log event for the findings of a report; nil if it has none. If the check was stopped without a
    /// finding, the event is `failure`.
    fileprivate init?(of report: CheckReport, _ failure: Name) {
        let count = report.findings.count { $0.fault != .stopped }
        if count > 0 {
            self.init(.damageFound, .count(count))
        } else if report.isStopped {
            self.init(failure, .reason("stopped"))
        } else {
            return nil
        }
    }

    fileprivate init(of fault: MaintenanceFault, _ failure: Name) {
        switch fault {
        case .damaged(let report): self = LogEvent(of: report, failure) ?? LogEvent(failure)
        case .exists: self.init(failure, .reason("exists"))
        case .stopped: self.init(failure, .reason("stopped"))
        case .storage(let refusal, let code):
            self.init(refusal == .damaged ? .damageFound : failure, code.field)
        }
    }
}

extension MaintenanceFault.Code {
    fileprivate var field: LogField {
        switch self {
        case .errno(let code): .errno(code)
        case .sqlite(let code): .sqlite(code)
        }
    }
}
