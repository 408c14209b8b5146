import CaretClient
import CaretConfig
import CaretRooms
import CaretServer
import CaretStore
import CaretWire
import Glibc

/// A server of our own on the data folder of a stopped one, for as long as a subcommand takes: what works on a running
/// server works on its files, by the same rules.
struct FolderServer {
    let store: SQLiteStore
    private let server: Server
    let address: ServerAddress

    /// Nobody waits for its rooms longer than that.
    private static let stopsWithin = Duration.seconds(4)

    /// The server holds the folder, so that no other one begins meanwhile.
    init(_ folder: String) async throws {
        let store = try FolderServer.store(folder)
        let path = folder + "/caret.sock"
        do {
            var settings = ServerSettings(
                name: WireString("caret/\(Version.number)"), loops: 1, roomQueues: 1)
            // Only the owner asks, and it is not known what his server is told to take.
            settings.limits = .widest
            server = try Server(
                settings, store: store, in: folder, authenticator: OwnerAlone(), counters: CounterBoard(),
                log: LogWriter(format: .plain, level: .error))
            _ = try await server.listen(at: .unix(path: path)) { _ in .adminSocket }
        } catch {
            await store.closed()
            throw Failure("\(folder): \(error)")
        }
        self.store = store
        address = .unix(path: path)
    }

    /// Opens the store of a folder that has one, and makes none.
    static func store(_ folder: String) throws -> SQLiteStore {
        try requireStore(folder)
        do throws(OpeningFault) {
            return try SQLiteStore(folder: folder, settings: .withoutRounds)
        } catch {
            throw Failure(error, in: folder)
        }
    }

    static func requireStore(_ folder: String) throws {
        if access(folder + "/caret.sqlite", F_OK) == 0 { return try requireOwner(folder) }
        if errno == EACCES { throw Failure(noPermissionFor: folder) }
        throw Failure(
            "\(folder): it is no data folder of caretd: \(String(cString: strerror(errno)))",
            advice: "say by --data what caretd was told by its own --data")
    }

    /// What root makes in a folder of somebody else would shut out the server that has it.
    static func requireOwner(_ folder: String) throws {
        var status = stat()
        // One that cannot be looked at cannot be opened either, which says more.
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
        let name = userName(status.st_uid)
        throw Failure(
            "\(folder): it belongs to the user \(name), and its server could not open what root makes there",
            advice: "run it as that user: sudo -u \(name) caret …")
    }

    fileprivate static func userName(_ number: uid_t) -> String {
        getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "#\(number)"
    }

    func stop() async {
        await server.stop(within: FolderServer.stopsWithin)
        await store.closed()
    }
}

extension Failure {
    /// The system does not let this user into a data folder.
    init(noPermissionFor folder: String) {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            self.init("\(folder): you may not open it", advice: "run it as the user that the server runs as")
            return
        }
        let name = FolderServer.userName(status.st_uid)
        self.init(
            "\(folder): you may not open it: it belongs to the user \(name)",
            advice: "run it as that user: sudo -u \(name) caret …")
    }

    init(_ fault: OpeningFault, in folder: String) {
        switch fault {
        case .system(EACCES), .system(EPERM): self.init(noPermissionFor: folder)
        case .held:
            self.init(
                "\(folder): \(fault)", advice: "stop that server, or reach it by --server or --socket")
        case .foreign, .badHeader, .lost, .otherLog, .older, .newer, .changed, .migrating, .readOnly,
            .system, .database:
            self.init("\(folder): \(fault)")
        }
    }
}

/// Whoever may open the files may do everything, and nobody else reaches the socket in their folder.
private struct OwnerAlone: Authenticator {
    func identify(
        _ token: WireString?, at door: Door, then completion: @escaping @Sendable (Authentication) -> Void
    ) {
        completion(.known(.admin))
    }
}
