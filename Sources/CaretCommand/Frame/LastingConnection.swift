import CaretClient
import Glibc

// Connections for subcommands that stay connected to a running server.
extension CommandContext {
    /// Connects, and reconnects after each disconnect unless `once` is true. Other people see `person` at the
    /// carets of this connection. Keeps unsaved edits in `folder`. If the folder cannot be used, warns and
    /// continues without it.
    func stayConnected<Result: Sendable>(
        as id: String? = nil, seenAs person: PersonInfo? = nil, once: Bool = false, store: String? = nil,
        about subject: String? = nil,
        keepingIn folder: String? = nil,
        _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        var options = ClientOptions(client: id, token: token, person: person, reconnects: !once)
        options.store = store
        options.warnsOfFaults = false
        let client = try keepingClient(options, folder) ?? LiveClient(servers: target.addresses, options)
        defer { client.close() }
        return try await addingSubject(about: subject) { try await body(client) }
    }

    private func keepingClient(_ options: ClientOptions, _ folder: String?) throws -> LiveClient? {
        guard let folder else { return nil }
        do throws(UnsavedEditsFault) {
            return try LiveClient(servers: target.addresses, options, keepingUnsavedIn: folder)
        } catch {
            // The command works without the folder, and the user can still save the file by hand.
            warn(Failure("unsaved edits cannot be kept for the next run: \(error)"))
            return nil
        }
    }

    /// Fails at once if no server can be reached, so that a user at a terminal does not wait in vain.
    func requireServer() async throws {
        try await withRunningServer { _ in }
    }

    /// Connects once, and only to a running server. Starts no temporary server on the files.
    func withRunningServer<Result: Sendable>(
        about subject: String? = nil, _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        try requirePermission()
        return try await addingSubject(about: subject) { try await withClient(target.addresses, body) }
    }

    /// Waits for the first connection of a client that reconnects. Throws if no server can be reached, so that
    /// a user at a terminal does not wait in vain.
    func awaitConnection(of client: LiveClient) async throws {
        try requirePermission()
        for await status in client.connectionUpdates {
            switch status.state {
            case .connected: return
            // The client waits after it has tried all servers.
            case .waiting, .ended: if let fault = status.lastError { throw fault }
            case .connecting: break
            }
        }
    }

    private func requirePermission() throws {
        guard case .folder(let folder) = target else { return }
        if access(Target.socketPath(in: folder), F_OK) != 0, errno == EACCES {
            throw Failure(noPermissionFor: folder)
        }
    }

    /// Writes a line and flushes at once, because the next output may come much later.
    func report(_ json: JSON, _ line: @autoclosure () -> String) {
        output.write((isJSON ? json.line : line()) + "\n")
        // `CommandRun` reports a failed write at the end.
        _ = output.flush()
    }
}
