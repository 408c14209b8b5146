import FoundationEssentials
import Glibc

/// A server to compare `caretd` with, if it is installed. The benchmark installs nothing.
struct Competitor {
    let name: String
    /// Nil if it is not installed.
    let version: String?
    /// How to install it.
    let advice: String
    /// The command that starts it on a localhost port.
    let command: (UInt16) -> [String]

    /// The server of Yjs's web socket provider, in Node.
    static func yWebsocket() -> Competitor {
        // Debian installs its modules here. A Node that was installed in another way does not search this
        // folder.
        let modules = "NODE_PATH=/usr/share/nodejs"
        let versionQuery = #"require("ws"), require("y-websocket/package.json").version"#
        return Competitor(
            name: "y-websocket", version: output(of: "\(modules) node -p \(quoted(versionQuery))"),
            advice: "apt-get install node-y-websocket node-ws",
            command: { ["env", modules, "HOST=127.0.0.1", "PORT=\($0)", "y-websocket-server"] })
    }

    /// The server of pycrdt, in Python and Rust, run by uvicorn.
    static func pycrdtWebsocket(python: String) -> Competitor {
        let versionQuery = "import uvicorn, websockets, pycrdt.websocket as one; print(one.__version__)"
        return Competitor(
            name: "pycrdt-websocket", version: output(of: "\(quoted(python)) -c \(quoted(versionQuery))"),
            advice: "pip install pycrdt-websocket uvicorn websockets, and pass that Python with --python",
            command: { [python, "-c", program, String($0)] })
    }

    /// Starts the server as its guide shows. The server keeps rooms without clients, as the other servers do.
    private static let program = """
        import asyncio, sys, uvicorn
        from pycrdt.websocket import ASGIServer, WebsocketServer

        async def main():
            server = WebsocketServer(auto_clean_rooms=False)
            config = uvicorn.Config(ASGIServer(server), port=int(sys.argv[1]), ws="websockets", log_level="error")
            async with server:
                await uvicorn.Server(config).serve()

        asyncio.run(main())
        """

    /// Starts the server with its output in a file, and waits until it listens.
    func started(log: String) -> ServerProcess {
        let port = Competitor.freePort()
        return ServerProcess(command(port), log: log) {
            let deadline = wallNanoseconds() + 20e9
            while wallNanoseconds() < deadline {
                if let found = connection(to: port) {
                    close(found)
                    return port
                }
                usleep(10_000)
            }
            preconditionFailure("\(name) does not listen; its output is in \(log)")
        }
    }

    /// A free port. The caller passes the port to a Yjs server, because neither of the two Yjs servers prints
    /// a port that the system chooses.
    private static func freePort() -> UInt16 {
        let (descriptor, port) = listeningSocket()
        close(descriptor)
        return port
    }

    /// The first line that a shell command prints; nil if the command fails.
    private static func output(of command: String) -> String? {
        printed(by: command + " 2>/dev/null")?.split(separator: "\n").first.map(String.init)
    }
}
