import CaretConfig
import CaretFormat
import CaretLog
import CaretPostgres
import CaretServer
import CaretStore
import Glibc

/// The store of a running server, in its data folder or in a PostgreSQL database.
enum OpenStore {
    case sqlite(SQLiteStore, StoreLog)
    case postgres(PostgresStore)

    /// Nil if the task was cancelled while PostgreSQL could not be reached.
    static func open(
        _ settings: Settings, _ log: LogWriter, _ counters: sending LocalCounters
    ) async throws(StoreFailure) -> OpenStore? {
        try makeFolder(settings.data, log)
        return settings.store.isEmpty
            ? try await openFolder(settings, log, counters) : try await openDatabase(settings, log, counters)
    }

    private static func openFolder(
        _ settings: Settings, _ log: LogWriter, _ counters: sending LocalCounters
    ) async throws(StoreFailure) -> OpenStore {
        let storeLog = StoreLog(log, counters)
        let store: SQLiteStore
        do throws(OpeningFault) {
            store = try SQLiteStore(folder: settings.data, settings: StoreSettings(settings)) {
                storeLog.handle($0)
            }
        } catch {
            throw StoreFailure(description: "\(settings.data): \(error)")
        }
        await store.warmUp()
        return .sqlite(store, storeLog)
    }

    /// If PostgreSQL cannot be used now, waits for it, as a running server would, until the task is cancelled.
    private static func openDatabase(
        _ settings: Settings, _ log: LogWriter, _ counters: sending LocalCounters
    ) async throws(StoreFailure) -> OpenStore? {
        let address: PostgresAddress
        do throws(PostgresAddress.Invalid) { address = try PostgresAddress(settings.store) } catch {
            throw StoreFailure(description: "store: \(error)")
        }
        let storeLog = PostgresStoreLog(log, counters)
        var logged: PostgresOpeningFault?
        while !Task.isCancelled {
            do throws(PostgresOpeningFault) {
                let store = try PostgresStore(
                    address, node: settings.nodeName,
                    allowsUnreplicated: settings.allowsUnreplicated, settings: StoreSettings(settings)
                ) { storeLog.handle($0) }
                if logged != nil { log.write(LogEvent(.storeBack)) }
                return .postgres(store)
            } catch {
                if !error.mayPass { throw StoreFailure(description: "store: \(error)") }
                if logged != error { log.write(LogEvent(.storeAway, .fault("\(error)"))) }
                logged = error
                try? await Task.sleep(for: .seconds(1))  // Ends early if the server is stopped.
            }
        }
        return nil
    }

    private static func makeFolder(_ path: String, _ log: LogWriter) throws(StoreFailure) {
        func failure() -> StoreFailure {
            StoreFailure(description: "\(path): \(String(cString: strerror(errno)))")
        }
        // Only the owner may access the folder, because it contains the texts.
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure() }
        var found = stat()
        guard stat(path, &found) == 0 else { throw failure() }
        if found.st_mode & 0o077 != 0 { log.write(LogEvent(.dataReadable, .path(path))) }
    }

    var served: any ServedStore {
        switch self {
        case .sqlite(let store, _): store
        case .postgres(let store): store
        }
    }

    /// True if acked changes are no longer in the data folder.
    var hasLostData: Bool {
        switch self {
        case .sqlite(_, let log): log.hasLostData
        case .postgres: false
        }
    }

    func close() async {
        switch self {
        case .sqlite(let store, _): await store.close()
        case .postgres(let store): await store.close()
        }
    }
}

/// Why the store was not opened, as a sentence for the operator.
struct StoreFailure: Error, CustomStringConvertible {
    let description: String
}
