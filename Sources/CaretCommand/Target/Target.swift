package import CaretClient

/// The server or the data folder that a subcommand works on.
package enum Target: Equatable, Sendable {
    /// A server, or several ones with the same documents. At least one.
    case servers([ServerAddress])
    /// The server that runs on this data folder, or the files of the folder if no server runs.
    case folder(String)

    static let variable = "CARET_SERVER"

    package init(_ arguments: Arguments, _ environment: [String: String]) throws(UsageFault) {
        let given = [CommonOptions.server, CommonOptions.socket, CommonOptions.data].filter {
            arguments.has($0)
        }
        if given.count > 1 { throw arguments.fault(.conflict(given[0].flag, given[1].flag)) }
        if let folder = arguments.text(CommonOptions.data) {
            self = .folder(folder)
        } else if let path = arguments.text(CommonOptions.socket) {
            self = .servers([.unix(path: path)])
        } else if let text = arguments.text(CommonOptions.server) {
            self = .servers(try Target.addresses(text, CommonOptions.server.flag, arguments))
        } else if let text = environment[Target.variable], !text.isEmpty {
            self = .servers(try Target.addresses(text, Target.variable, arguments))
        } else {
            self = .servers([.tcp(host: "127.0.0.1", port: ServerAddress.defaultPort)])
        }
    }

    /// The addresses of the running servers.
    var addresses: [ServerAddress] {
        switch self {
        case .servers(let addresses): addresses
        case .folder(let folder): [.unix(path: Target.socketPath(in: folder))]
        }
    }

    /// The addresses, as `--server` takes them.
    var addressList: String { addresses.map(\.description).joined(separator: ",") }

    /// The words of a command line with the same target.
    package var words: [String] {
        switch self {
        // A path may contain a comma, which `--server` reads as the end of an address.
        case .servers(let addresses) where addresses.count == 1:
            if case .unix(let path) = addresses[0] { ["--socket", path] } else { ["--server", addressList] }
        case .servers: ["--server", addressList]
        case .folder(let folder): ["--data", folder]
        }
    }

    static func socketPath(in folder: String) -> String { folder + "/caretd.sock" }

    /// Reads one address, or several with commas between them.
    private static func addresses(
        _ text: String, _ origin: String, _ arguments: Arguments
    ) throws(UsageFault) -> [ServerAddress] {
        do throws(InvalidServerAddress) {
            return try ServerAddress.list(text)
        } catch {
            let number = error.count == 1 ? "" : ", address \(error.number) of \(error.count)"
            throw arguments.fault(
                .badValue(origin + number, found: error.entry, expected: expected(insteadOf: error.entry)))
        }
    }

    private static func expected(insteadOf entry: String) -> String {
        if entry.hasPrefix("http://") { return "HOST:PORT without http://" }
        if entry.hasPrefix("https://") { return "carets://HOST:PORT instead of https://" }
        if entry.contains("?pin=") {
            return "?pin= with the 64 hexadecimal digits of the SHA-256 of the server's certificate"
        }
        return "HOST, HOST:PORT, [ADDRESS]:PORT, carets://HOST:PORT or a socket's path"
    }
}
