/// The options of all subcommands.
package enum CommonOptions {
    static let server = Option(
        "server", value: "HOST:PORT", "the server; also by CARET_SERVER; default 127.0.0.1:22738")
    static let socket = Option("socket", value: "PATH", "the server behind a socket, as data/caretd.sock")
    static let data = Option(
        "data", value: "DIR", "the server of a data folder, or its files where no server runs")
    static let token = Option(
        "token", value: "TOKEN", "what lets you in; others on the machine see it there: rather CARET_TOKEN")
    static let json = Option("json", "one JSON value, or one a line, for programs")
    static let noColor = Option("no-color", "no colours on a terminal; also by NO_COLOR")
    static let help = Option("help", letter: "h", "what the subcommand does and takes")
    static let version = Option("version", "which Caret this is")

    package static let all = [server, socket, data, token, json, noColor, help, version]
}
