import CaretClient
import CaretStore
import CaretSync
import CaretWire
import FoundationEssentials
import Glibc

/// The context of one run of a subcommand: its output, the style of the output, and the target.
package struct CommandContext: Sendable {
    let output: Output
    /// Standard error: progress, questions and notes.
    let notes: Output
    /// Nil if the output is not a terminal.
    let screen: Screen?
    let style: Style
    let isJSON: Bool
    let target: Target
    let token: String?

    init(
        _ arguments: Arguments, _ environment: [String: String], output: Output, errors: Output
    ) throws(UsageFault) {
        self.output = output
        notes = errors
        screen = Screen(output, environment)
        isJSON = arguments.has(CommonOptions.json)
        let wantsColor = !arguments.has(CommonOptions.noColor) && environment["NO_COLOR", default: ""].isEmpty
        style = Style(isColored: screen != nil && !isJSON && wantsColor)
        target = try Target(arguments, environment)
        token =
            arguments.text(CommonOptions.token)
            ?? environment["CARET_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Local time on a terminal, UTC elsewhere.
    func stamp(_ date: Date) -> String { screen == nil ? Stamp.universal(date) : Stamp.local(date) }

    /// Prints a table. A table that continues another one has no titles.
    func show(_ table: Table, titled: Bool = true) {
        output.write(screen.map { table.text(on: $0, style, titled: titled) } ?? table.plain)
    }

    /// Prints a table. If it is empty, a terminal shows a sentence instead, and programs get nothing.
    func show(_ table: Table, orIfEmpty sentence: String) {
        if !table.rows.isEmpty { return show(table) }
        if screen != nil { output.write(sentence.printable + "\n") }
    }

    /// A part of a document's text. On a terminal visible signs replace control characters.
    func shown(_ text: String) -> String { screen == nil ? text : text.printable }

    /// A name of a document or a user. If the output is not a terminal, only control characters are replaced.
    func shown(name: String) -> String { screen == nil ? name.field : name.printable }

    /// Prints a whole text. A file receives every byte of the text, and a terminal receives no control
    /// characters.
    func show(text: String, usesCRLF: Bool) {
        if screen == nil {
            output.write(text.fileBytes(usesCRLF: usesCRLF))
        } else {
            output.write(text.printableLines)
        }
    }

    /// Reports that a part of the work failed, while the rest continues.
    func warn(_ failure: Failure) {
        notes.write(failure.text(isJSON: isJSON))
        // Flushes at once, because the remaining work can take long. If this write fails, there is no other
        // place to report it.
        _ = notes.flush()
    }

    /// Reports an intermediate state to the user. Prints nothing with `--json`.
    func note(_ text: String) {
        if isJSON { return }
        notes.write("caret: \(text)\n")
        _ = notes.flush()
    }

    func show(_ json: JSON) { output.write(json.line + "\n") }

    // MARK: The server

    /// Connects, calls `body`, and closes the connection. If the server refuses a request, the failure names
    /// `subject`, usually a document.
    func withClient<Result: Sendable>(
        about subject: String? = nil, _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        try await addingSubject(about: subject) { try await withClient(body) }
    }

    /// Runs `body`. If the server refuses a request, the failure names `subject`. If the server requires a
    /// token and the user gave none, the failure says so.
    func addingSubject<Result: Sendable>(
        about subject: String? = nil, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let refusal as ServerRefusal {
            throw Failure(refusal, about: subject)
        } catch ConnectionFault.refused(let refusal) where refusal.code == .unauthorized && token == nil {
            throw Failure(
                "\(target.addressList): the server requires a token",
                advice: "set CARET_TOKEN; on the server's machine --data DIR needs no token")
        }
    }

    private func withClient<Result: Sendable>(
        _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        switch target {
        case .servers(let addresses): return try await withClient(addresses, body)
        case .folder(let folder):
            guard let client = try await clientOfServer(on: folder) else {
                return try await withTemporaryServer(folder) { client, _ in try await body(client) }
            }
            defer { client.close() }
            return try await body(client)
        }
    }

    /// Connects to a running server: to the first one that can be reached.
    func withClient<Result: Sendable>(
        _ addresses: [ServerAddress], _ body: @Sendable (LiveClient) async throws -> Result
    ) async throws -> Result {
        let client = client(for: addresses)
        defer { client.close() }
        try await client.connected()
        return try await body(client)
    }

    private func client(for addresses: [ServerAddress]) -> LiveClient {
        var options = ClientOptions.oneShot
        options.token = token
        return LiveClient(servers: addresses, options)
    }

    /// Whether a server runs on a data folder and accepts connections on its socket.
    func hasRunningServer(_ folder: String) async throws -> Bool {
        guard let client = try await clientOfServer(on: folder) else { return false }
        client.close()
        return true
    }

    /// Connects to the server of a data folder. Returns nil if there is no socket, or only that of a stopped
    /// server.
    private func clientOfServer(on folder: String) async throws -> LiveClient? {
        let path = Target.socketPath(in: folder)
        if access(path, F_OK) != 0 {
            if errno == EACCES { throw Failure(noPermissionFor: folder) }
            return nil
        }
        let client = client(for: [.unix(path: path)])
        do {
            try await client.connected()
            return client
        } catch ConnectionFault.unreachable {
            return nil
        }
    }

    /// Starts a temporary server on a data folder, and calls `body` with a client and the store.
    func withTemporaryServer<Result: Sendable>(
        _ folder: String, _ body: @Sendable (LiveClient, SQLiteStore) async throws -> Result
    ) async throws -> Result {
        let server = try await FolderServer(folder)
        do {
            let store = server.store
            let result = try await withClient([server.address]) { try await body($0, store) }
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }
}
