import CaretClient
import CaretStore
import CaretSync
import CaretWire
import FoundationEssentials
import Glibc

/// What a subcommand runs on: where it writes, how that looks, and where the documents are.
package struct Stage: Sendable {
    let output: Output
    /// What is not the answer: progress, questions and notes.
    let notes: Output
    /// Nil where the output is no terminal.
    let screen: Screen?
    let style: Style
    let isJSON: Bool
    let place: Place
    let token: String?

    init(
        _ given: Given, _ environment: [String: String], output: Output, errors: Output
    ) throws(UsageFault) {
        self.output = output
        notes = errors
        screen = Screen(output, environment)
        isJSON = given.has(CommonOptions.json)
        let wantsColor = !given.has(CommonOptions.noColor) && environment["NO_COLOR", default: ""].isEmpty
        style = Style(isColored: screen != nil && !isJSON && wantsColor)
        place = try Place(given, environment)
        token =
            given.text(CommonOptions.token) ?? environment["CARET_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A time as the output wants it: for people on a terminal, else for programs.
    func stamp(_ date: Date) -> String { screen == nil ? Stamp.universal(date) : Stamp.local(date) }

    /// A table that goes on from another one has no titles.
    func show(_ table: Table, titled: Bool = true) {
        output.write(screen.map { table.text(on: $0, style, titled: titled) } ?? table.plain)
    }

    /// A terminal must not be made to obey what a document holds.
    func shown(_ text: String) -> String { screen == nil ? text : text.harmless }

    /// A name or a user: programs get it as it is.
    func shown(name: String) -> String { screen == nil ? name.field : name.harmless }

    /// A whole text: a file gets every byte of it, and a terminal nothing that it would obey.
    func show(text: String, usesCRLF: Bool) {
        if screen == nil {
            output.write(text.fileBytes(usesCRLF: usesCRLF))
        } else {
            output.write(text.harmlessLines)
        }
    }

    /// Says what went wrong with a part of the work, while the rest goes on.
    func complain(_ failure: Failure) {
        notes.write(failure.text(isJSON: isJSON))
        // At once: the rest may take long. What does not come out has no other place to be told in.
        _ = notes.flush()
    }

    /// Tells a person something on the way; programs need not know.
    func note(_ text: String) {
        if isJSON { return }
        notes.write("caret: \(text)\n")
        _ = notes.flush()
    }

    func show(_ json: JSON) { output.write(json.line + "\n") }

    // MARK: The server

    /// Connects, does what is to be done, and lets the server go. What it refuses is told with its subject, which is
    /// mostly a document.
    func reach<Result: Sendable>(
        about subject: String? = nil, _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        try await explaining(about: subject) { try await reach(body) }
    }

    /// What a server refuses is told with its subject, and a token that is missing as just that.
    func explaining<Result: Sendable>(
        about subject: String? = nil, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let refusal as ServerRefusal {
            throw Failure(refusal, about: subject)
        } catch ConnectionFault.refused(let refusal) where refusal.code == .unauthorized && token == nil {
            throw Failure(
                "\(place.address): a token is needed",
                advice: "say it by CARET_TOKEN; on the server's machine --data DIR needs none")
        }
    }

    private func reach<Result: Sendable>(
        _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        switch place {
        case .server(let address): return try await reach(address, body)
        case .folder(let folder):
            guard let client = try await running(on: folder) else {
                return try await serve(folder) { client, _ in try await body(client) }
            }
            defer { client.close() }
            return try await body(client)
        }
    }

    /// By a server that runs.
    func reach<Result: Sendable>(
        _ address: ServerAddress, _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        let client = client(for: address)
        defer { client.close() }
        try await client.connected()
        return try await body(client)
    }

    private func client(for address: ServerAddress) -> LiveClient {
        var options = ClientOptions.oneShot
        options.token = token
        return LiveClient(address, options)
    }

    /// Whether a server runs on a data folder, and can be reached by its socket.
    func isServed(_ folder: String) async throws -> Bool {
        guard let client = try await running(on: folder) else { return false }
        client.close()
        return true
    }

    /// Nil where there is no socket of a server, or only one that a server left which runs no more.
    private func running(on folder: String) async throws -> LiveClient? {
        let path = Place.socketPath(in: folder)
        if access(path, F_OK) != 0 {
            if errno == EACCES { throw Failure(noPermissionFor: folder) }
            return nil
        }
        let client = client(for: .unix(path: path))
        do {
            try await client.connected()
            return client
        } catch ConnectionFault.unreachable {
            return nil
        }
    }

    /// By a server of our own, whose store is at hand.
    func serve<Result: Sendable>(
        _ folder: String, _ body: @Sendable (LiveClient, SQLiteStore) async throws -> Result
    ) async throws -> Result {
        let server = try await FolderServer(folder)
        do {
            let store = server.store
            let result = try await reach(server.address) { try await body($0, store) }
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }
}
