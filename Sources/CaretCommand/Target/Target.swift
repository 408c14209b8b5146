package import CaretClient

/// The server or the data folder that a subcommand works on.
package enum Target: Equatable, Sendable {
    case server(ServerAddress)
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
            self = .server(.unix(path: path))
        } else if let text = arguments.text(CommonOptions.server) {
            self = .server(try Target.address(text, CommonOptions.server.flag, arguments))
        } else if let text = environment[Target.variable], !text.isEmpty {
            self = .server(try Target.address(text, Target.variable, arguments))
        } else {
            self = .server(.tcp(host: "127.0.0.1", port: ServerAddress.defaultPort))
        }
    }

    /// The address of the running server.
    var address: ServerAddress {
        switch self {
        case .server(let address): address
        case .folder(let folder): .unix(path: Target.socketPath(in: folder))
        }
    }

    static func socketPath(in folder: String) -> String { folder + "/caretd.sock" }

    private static func address(
        _ text: String, _ origin: String, _ arguments: Arguments
    ) throws(UsageFault) -> ServerAddress {
        guard let address = ServerAddress(text) else {
            throw arguments.fault(
                .badValue(
                    origin, found: text,
                    expected: "HOST, HOST:PORT, [ADDRESS]:PORT, carets://HOST:PORT or a socket's path")
            )
        }
        return address
    }
}
