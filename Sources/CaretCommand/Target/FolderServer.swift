import CaretClient
import CaretConfig
import CaretFormat
import CaretRooms
import CaretServer
import CaretStore
import CaretWire
import Glibc

/// A temporary server on the data folder of a stopped server, for the duration of one subcommand. With this
/// server, a subcommand uses the same code and rules for files as for a running server.
struct FolderServer {
    let store: SQLiteStore
    private let server: Server
    let address: ServerAddress

    /// How long `stop` waits until all rooms are closed.
    private static let stopsWithin = Duration.seconds(4)

    /// Locks the folder, so that no other server can start on it while this server runs.
    init(_ folder: String) async throws {
        let store = try FolderServer.store(folder)
        let path = folder + "/caret.sock"
        do {
            var settings = ServerSettings(
                name: WireString("caret/\(Version.number)"), loops: 1, roomQueues: 1)
            // Uses the widest limits: only the owner uses this server, and the limits of the stopped server
            // are unknown.
            settings.limits = .widest
            server = try Server(
                settings, store: store, in: folder, authenticator: OwnerAuthenticator(),
                counters: CounterBoard(),
                log: LogWriter(format: .plain, level: .error))
            _ = try await server.listen(at: .unix(path: path), as: { _ in .adminSocket })
        } catch {
            await store.close()
            throw Failure("\(folder): \(error)")
        }
        self.store = store
        address = .unix(path: path)
    }

    /// Opens an existing store. Never creates one.
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
        let reason = errno
        if reason == EACCES { throw Failure(noPermissionFor: folder) }
        if let fault = DataFolder.moveFault(in: folder) { throw Failure(fault, in: folder) }
        throw Failure(
            "\(folder): not a data folder of caretd: \(String(cString: strerror(reason)))",
            advice: "pass the folder that caretd uses (its option --data)")
    }

    /// Throws if root works in the folder of another user: that user's server could not open the files of
    /// root.
    static func requireOwner(_ folder: String) throws {
        var status = stat()
        // If `stat` fails, opening the store fails too, with a better message.
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
        let name = userName(status.st_uid)
        throw Failure(
            "\(folder): it belongs to the user \(name), whose server could not open files made by root",
            advice: "run caret as that user: sudo -u \(name) caret …")
    }

    fileprivate static func userName(_ number: uid_t) -> String {
        getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? "#\(number)"
    }

    func stop() async {
        await server.stop(within: FolderServer.stopsWithin)
        await store.close()
    }
}

extension Failure {
    /// The system denies this user access to a data folder.
    init(noPermissionFor folder: String) {
        var status = stat()
        guard stat(folder, &status) == 0 else {
            self.init("\(folder): permission denied", advice: "run caret as the user that runs the server")
            return
        }
        let name = FolderServer.userName(status.st_uid)
        self.init(
            "\(folder): permission denied: it belongs to the user \(name)",
            advice: "run caret as that user: sudo -u \(name) caret …")
    }

    init(_ fault: OpeningFault, in folder: String) {
        switch fault {
        case .system(EACCES), .system(EPERM): self.init(noPermissionFor: folder)
        case .folderLocked:
            self.init(
                "\(folder): \(fault)", advice: "stop that server, or connect to it with --server or --socket")
        case .notCaretDatabase, .damagedHeader, .missingDatabase, .moved, .moving, .logOfOtherDatabase,
            .schemaTooOld, .schemaTooNew, .migrationChanged, .migrationFailed, .readOnly,
            .system, .database:
            self.init("\(folder): \(fault)")
        }
    }
}

/// Treats every client as admin. Only users who may open the files of the data folder can reach the socket in
/// that folder.
private struct OwnerAuthenticator: Authenticator {
    func identify(
        _ token: WireString?, at listenerKind: ListenerKind,
        then completion: @escaping @Sendable (Authentication) -> Void
    ) {
        completion(.known(.admin))
    }
}
