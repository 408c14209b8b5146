package import CaretLog

extension SQLiteStore: ServedStore {
    /// Only one server can use a data folder.
    package var bus: (any NodeBus)? { nil }

    package func otherNodes() async -> Result<[NodeEntry], StoreRefusal> { .success([]) }

    package func check(
        _ document: DocumentID?, progress: @escaping @Sendable (CheckProgress) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        do throws(OpeningFault) { return try await verify(document, progress: progress) } catch {
            throw MaintenanceFault(BackupFault(error))
        }
    }

    package func copy(
        to path: String, at time: Int64, progress: @escaping @Sendable (_ copied: Int, _ all: Int) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        // A server makes one backup at a time.
        backups.removePartial()
        do throws(BackupFault) { return try await backUp(to: path, at: time, progress: progress) } catch {
            throw MaintenanceFault(error)
        }
    }
}

extension MaintenanceFault {
    fileprivate init(_ fault: BackupFault) {
        let refusal: StoreRefusal = fault.isDamage ? .damaged : fault.isOutOfSpace ? .full : .failed
        switch fault {
        case .exists: self = .exists
        case .damaged(let report): self = .damaged(report)
        case .system(let code): self = .storage(refusal, .errno(code))
        // Code 0 means that the store was closed meanwhile.
        case .database(let found) where found.code == 0: self = .stopped
        case .database(let found): self = .storage(refusal, .sqlite(found.code))
        }
    }
}
