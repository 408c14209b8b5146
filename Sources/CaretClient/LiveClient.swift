import CaretCore
package import CaretWire
import FoundationEssentials
import Synchronization

/// A connection to a Caret server, and all that can be asked of it.
///
/// It connects at once and, unless told otherwise, again whenever the connection ends: what is asked meanwhile waits.
/// A request throws `ServerRefusal` where the server would not do it, `ConnectionFault` where there is no connection or
/// no answer, and `CancellationError` where its task was cancelled, which takes back nothing that was sent.
/// The client is closed when nobody has it any more.
public final class CaretClient: Sendable {
    public let address: ServerAddress
    let shell: ClientShell
    private let numbers = Mutex(PushNumbers())

    public convenience init(_ address: ServerAddress, _ options: ClientOptions = ClientOptions()) {
        let id = options.client ?? CaretClient.randomID()
        self.init(address, ClientShell(CaretClient.settings(address, options, id: id)))
    }

    /// A client that keeps what is unsaved in a folder of its own, made where it is missing, so that it outlives the
    /// program: the next client with that folder has the same id, and `open` goes on with what was kept, at once.
    ///
    /// Throws where the folder cannot be used, or another client has it.
    public convenience init(
        _ address: ServerAddress, _ options: ClientOptions = ClientOptions(), keepingUnsavedIn folder: String
    ) throws(KeepingFault) {
        let folder = try KeepingFolder(folder)
        let id = try folder.clientID(orElse: options.client ?? CaretClient.randomID())
        self.init(address, try ClientShell(CaretClient.settings(address, options, id: id), folder))
    }

    private init(_ address: ServerAddress, _ shell: ClientShell) {
        self.address = address
        self.shell = shell
        shell.begin()
    }

    private static func settings(
        _ address: ServerAddress, _ options: ClientOptions, id: String
    ) -> ClientState.Settings {
        let hello = Hello(
            client: WireString(id), units: [.utf16], token: options.token.map { WireString($0) },
            info: options.person?.info)
        return ClientState.Settings(
            address: address, hello: hello, reconnects: options.reconnects,
            store: options.store.map { WireString($0) })
    }

    /// The names of closed documents with unsaved edits in the folder of the client.
    ///
    /// Two may have the same name, for example after a rename. Then `open` goes on with the older one, and the name stays
    /// here until the other one was opened too.
    public var unsavedDocuments: [String] { shell.unsavedNames }

    deinit { shell.close() }

    /// Ends the connection; every request that is under way, and every later one, throws `ConnectionFault.closed`.
    public func close() { shell.close() }

    /// Whether there is a connection.
    public var connectionState: ConnectionState { shell.status.state }

    /// Why the last connection or attempt ended; nil while the client is connected, and before the first failure.
    public var lastError: ConnectionFault? { shell.status.lastError }

    /// The connection as it is, and then each time it changes.
    public var connectionUpdates: ConnectionUpdates { ConnectionUpdates(shell) }

    /// Waits until the server has welcomed the client. Throws where it does not, and no other attempt will be made.
    public func connected() async throws { _ = try await shell.welcome() }

    /// What the server said to welcome the client.
    package func welcome() async throws -> Welcome { try await shell.welcome() }

    /// The answer to a request: any message but `hello`, and those that are about an open document or `follow`.
    package func ask(_ message: ClientMessage) async throws -> ServerMessage { try await shell.ask(message) }

    /// Documents whose name begins so, as they are made, changed, renamed and deleted. Whoever asks a second time takes
    /// the news over, and the first sequence ends.
    package func documentNews(prefix: String = "") -> DocumentNewsSequence {
        let prefix = prefix.isEmpty ? nil : WireString(prefix)
        return DocumentNewsSequence(shell, shell.follow(Follow(prefix: prefix)))
    }

    /// A number for a push, above all that this client has used.
    package func nextPushNumber() -> Int { numbers.withLock { $0.next(at: .now) } }

    /// 120 bits, in letters and digits.
    package static func randomID() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<24).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
