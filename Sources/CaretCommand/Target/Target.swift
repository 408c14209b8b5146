package import CaretClient

/// Where the documents are.
package enum Place: Equatable, Sendable {
    case server(ServerAddress)
    /// The server that has this folder, or its files.
    case folder(String)

    static let variable = "CARET_SERVER"

    package init(_ given: Given, _ environment: [String: String]) throws(UsageFault) {
        let said = [CommonOptions.server, CommonOptions.socket, CommonOptions.data].filter { given.has($0) }
        if said.count > 1 { throw given.fault(.together(said[0].flag, said[1].flag)) }
        if let folder = given.text(CommonOptions.data) {
            self = .folder(folder)
        } else if let path = given.text(CommonOptions.socket) {
            self = .server(.unix(path: path))
        } else if let text = given.text(CommonOptions.server) {
            self = .server(try Place.address(text, CommonOptions.server.flag, given))
        } else if let text = environment[Place.variable], !text.isEmpty {
            self = .server(try Place.address(text, Place.variable, given))
        } else {
            self = .server(.tcp(host: "127.0.0.1", port: ServerAddress.defaultPort))
        }
    }

    /// Where a server that runs is reached.
    var address: ServerAddress {
        switch self {
        case .server(let address): address
        case .folder(let folder): .unix(path: Place.socketPath(in: folder))
        }
    }

    static func socketPath(in folder: String) -> String { folder + "/caretd.sock" }

    private static func address(
        _ text: String, _ origin: String, _ given: Given
    ) throws(UsageFault) -> ServerAddress {
        guard let address = ServerAddress(text) else {
            throw given.fault(
                .badValue(origin, found: text, allowed: "HOST, HOST:PORT, [ADDRESS]:PORT or a socket's path"))
        }
        return address
    }
}
