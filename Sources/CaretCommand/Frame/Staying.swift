import CaretClient
import FoundationEssentials
import Glibc

// For subcommands that stay with a running server.
extension Stage {
    /// Connects, and connects again whenever the connection ends, unless it is for once. What is unsaved is kept in a
    /// folder, where one is given and can be used.
    func stay<Result: Sendable>(
        as id: String? = nil, once: Bool = false, store: String? = nil, about subject: String? = nil,
        keepingIn folder: String? = nil,
        _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        let name = ProcessInfo.processInfo.environment["USER"]
        var options = ClientOptions(
            client: id, token: token, person: name.map { PersonInfo(name: $0) }, reconnects: !once)
        options.store = store
        let client = try keepingClient(options, folder) ?? LiveClient(place.address, options)
        defer { client.close() }
        return try await explaining(about: subject) { try await body(client) }
    }

    private func keepingClient(_ options: ClientOptions, _ folder: String?) throws -> LiveClient? {
        guard let folder else { return nil }
        do throws(UnsavedEditsFault) {
            return try LiveClient(place.address, options, keepingUnsavedIn: folder)
        } catch {
            // It works without, and what is in the file can still be saved by hand.
            complain(Failure("what is not saved cannot be kept for later: \(error)"))
            return nil
        }
    }

    /// Connects at once or fails: nobody waits at a terminal for a server that is not there.
    func requireServer() async throws {
        try await reachServer { _ in }
    }

    /// Connects once, to a server that runs: what is wanted of it no server of our own could tell.
    func reachServer<Result: Sendable>(
        about subject: String? = nil, _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        try requirePermission()
        return try await explaining(about: subject) { try await reach(place.address, body) }
    }

    /// Waits for the first connection of a client that stays. Throws where the first attempt fails: nobody waits at a
    /// terminal for a server that is not there.
    func awaitConnection(of client: LiveClient) async throws {
        try requirePermission()
        for await status in client.connectionUpdates {
            if status.state == .connected { return }
            if let fault = status.lastError { throw fault }
        }
    }

    private func requirePermission() throws {
        guard case .folder(let folder) = place else { return }
        if access(Place.socketPath(in: folder), F_OK) != 0, errno == EACCES {
            throw Failure(noPermissionFor: folder)
        }
    }

    /// Writes at once: what happens next may be long in coming.
    func tell(_ json: JSON, _ line: @autoclosure () -> String) {
        output.write((isJSON ? json.line : line()) + "\n")
        // One that did not come out is told at the end.
        _ = output.flush()
    }
}
