import CaretConcurrency
import CaretFormat
package import CaretLog
import Glibc

extension PostgresStore: ServedStore {
    package func otherNodes() async -> Result<[NodeEntry], StoreRefusal> {
        openCalls.begin()
        defer { openCalls.end() }
        let nodes = await reads.run(as: .short) { [node = shared.node] readers in
            Result { () throws(PostgresFault) in
                try PostgresStore.tryingAgain { () throws(PostgresFault) in
                    try readers.lane.run { connection throws(PostgresFault) in
                        try NodeTable(connection: connection, node: node).others()
                    }
                }
            }
        }
        return nodes.mapError(\.refusal)
    }

    package func check(
        _ document: DocumentID?, progress: @escaping @Sendable (CheckProgress) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        openCalls.begin()
        defer { openCalls.end() }
        let check = await reads.run(as: .upkeep) { [reads, openCalls] readers in
            reads.confine(
                StoreCheck(readers[.upkeep].rows, of: document, isStopped: { openCalls.isClosing }))
        }
        while await reads.run(as: .upkeep, { _ in check.update { $0.step(progress) } }) {}
        return await reads.run(as: .upkeep) { _ in check.value.report }
    }

    /// PostgreSQL has its own tools for copies.
    package func copy(
        to path: String, at time: Int64, progress: @escaping @Sendable (_ copied: Int, _ all: Int) -> Void
    ) async throws(MaintenanceFault) -> CheckReport {
        throw .storage(.failed, .errno(ENOTSUP))
    }
}
