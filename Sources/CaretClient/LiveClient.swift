import CaretCore
package import CaretWire
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client of a Caret server: one connection, requests, and open documents.
///
/// The client connects at once. When the connection ends, the client connects again, unless the options
/// forbid it. Several servers over one database have the same documents: a client that knows all of them uses
/// another one if its server stops or cannot be reached. Requests wait until there is a connection. A request throws:
/// - `ServerRefusal` if the server refused it,
/// - `ConnectionFault` if there is no connection or no answer,
/// - `TooManyRequests` if too many requests have no answer yet,
/// - `CancellationError` if its task was cancelled. The server may still carry out a request that was already
///   sent.
///
/// If the first attempts to connect fail, or the server refuses the client, and the program does not look at the status
/// of the connection, the client writes one line to standard error.
///
/// The client closes its connection when it is released.
public final class LiveClient: Sendable {
    /// All servers that the client uses, each one once.
    public let servers: [ServerAddress]
    let shell: ClientShell
    private let numbers = Mutex(PushNumbers())

    /// Starts to connect to a server. Unsaved edits are lost when the process ends.
    public convenience init(_ address: ServerAddress, _ options: ClientOptions = ClientOptions()) {
        self.init(servers: [address], options)
    }

    /// Starts to connect to one of several servers, which must all have the same documents: they use one
    /// database. Unsaved edits are lost when the process ends.
    ///
    /// The list must not be empty. If a server cannot be reached, or its connection ends, the client goes on
    /// to the next one at once. After it has tried all of them, it waits before it tries them again. If a
    /// server refuses the token, the client does not try the others.
    public convenience init(servers: [ServerAddress], _ options: ClientOptions = ClientOptions()) {
        let id = options.client ?? LiveClient.randomID()
        let settings = LiveClient.settings(servers, options, id: id, ownsID: options.client == nil)
        self.init(
            settings.rotation.servers, ClientShell(settings, token: options.fetchToken, warns: options.warns))
    }

    /// Starts to connect to a server, and keeps unsaved edits in a folder. If the folder is missing, it is
    /// created.
    ///
    /// The edits survive the end of the process. The next client with this folder has the same client id, and
    /// its `open` returns a document that already contains the kept edits. Throws if the folder cannot be
    /// used, or if another client is using it.
    public convenience init(
        _ address: ServerAddress, _ options: ClientOptions = ClientOptions(), keepingUnsavedIn folder: String
    ) throws(UnsavedEditsFault) {
        try self.init(servers: [address], options, keepingUnsavedIn: folder)
    }

    /// The same with several servers. The edits in the folder do not belong to one of the servers, so the
    /// list may change from run to run.
    public convenience init(
        servers: [ServerAddress], _ options: ClientOptions = ClientOptions(), keepingUnsavedIn folder: String
    ) throws(UnsavedEditsFault) {
        let folder = try UnsavedEditsFolder(folder)
        let id = try folder.clientID(orElse: options.client ?? LiveClient.randomID())
        var options = options
        if options.fetchToken != nil, options.user == nil { options.user = try folder.user() }
        // The folder is locked, so no other client uses the id in it.
        let settings = LiveClient.settings(servers, options, id: id, ownsID: true)
        self.init(
            settings.rotation.servers,
            try ClientShell(settings, folder, token: options.fetchToken, warns: options.warns))
    }

    private init(_ servers: [ServerAddress], _ shell: ClientShell) {
        self.servers = servers
        self.shell = shell
        shell.start()
    }

    private static func settings(
        _ servers: [ServerAddress], _ options: ClientOptions, id: String, ownsID: Bool
    ) -> ClientState.Settings {
        let hello = Hello(
            client: WireString(id), units: [.utf16], token: options.token.map { WireString($0) },
            info: options.person?.info)
        return ClientState.Settings(
            rotation: ServerRotation(servers, options.serverOrder), hello: hello,
            reconnects: options.reconnects, ownsID: ownsID, store: options.store.map { WireString($0) },
            fetchesTokens: options.fetchToken != nil,
            user: options.user.map { WireString($0) })
    }

    /// The server that the client is connected to, or tries next.
    public var address: ServerAddress { shell.address }

    /// The names of closed documents with unsaved edits in the folder of the client.
    ///
    /// Two such documents may have the same name, for example after a rename. Then `open` opens the older
    /// document. The name stays in this list until the newer document was opened too.
    public var unsavedDocuments: [String] { shell.unsavedNames }

    /// Whether the client keeps unsaved edits in a folder.
    package var keepsUnsavedEdits: Bool { shell.keeps }

    deinit { shell.close() }

    /// Ends the connection. All unanswered requests and all later requests throw `ConnectionFault.closed`.
    public func close() { shell.close() }

    /// Whether the client has a connection to its server.
    public var connectionState: ConnectionState { shell.status.state }

    /// Why the last connection or attempt ended. Nil while the client is connected, and before the first
    /// failure.
    public var lastError: ConnectionFault? { shell.status.lastError }

    /// A sequence of the connection status: first the current status, then each change.
    public var connectionUpdates: ConnectionUpdates { ConnectionUpdates(shell) }

    /// Waits until the client is connected. Throws if the client has ended and will not try again.
    public func connected() async throws { _ = try await shell.welcome() }

    /// Waits for the server's `welcome` message, and returns it.
    package func welcome() async throws -> Welcome { try await shell.welcome() }

    /// Sends a request and waits for its answer. `message` must not be `hello`, `follow` or a message about
    /// an open document.
    package func request(_ message: ClientMessage) async throws -> ServerMessage {
        try await shell.request(message)
    }

    /// Follows all documents whose name starts with `prefix`. The sequence has an event for each document
    /// that is created, changed, renamed or deleted. A client can follow documents with only one sequence at
    /// a time. A second call ends the first sequence.
    package func followDocuments(prefix: String = "") -> FollowEvents {
        let prefix = prefix.isEmpty ? nil : WireString(prefix)
        return FollowEvents(shell, shell.follow(Follow(prefix: prefix)))
    }

    /// Returns a push number that is higher than all numbers that this client has used.
    package func nextPushNumber() -> Int { numbers.withLock { $0.next(at: .now) } }

    /// A client id of 120 random bits, in letters and digits.
    package static func randomID() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<24).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
