/// The options of all subcommands.
package enum CommonOptions {
    static let server = Option(
        "server", value: "HOST:PORT",
        "the server, or several with commas between; carets://HOST:PORT for TLS; default 127.0.0.1:22738; also CARET_SERVER"
    )
    static let socket = Option(
        "socket", value: "PATH", "the server on a Unix socket, for example data/caretd.sock")
    static let data = Option(
        "data", value: "DIR", "the data folder of a server; if no server runs on it, caret uses its files")
    static let token = Option(
        "token", value: "TOKEN", "your token; prefer CARET_TOKEN, which other users of the machine cannot see"
    )
    static let json = Option("json", "prints JSON for programs: one value, or one value per line")
    static let noColor = Option("no-color", "prints no colours on a terminal; also NO_COLOR")
    static let help = Option("help", letter: "h", "prints the help of the subcommand")
    static let version = Option("version", "prints the version")

    package static let all = [server, socket, data, token, json, noColor, help, version]
}
