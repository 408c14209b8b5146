import FoundationEssentials
import Glibc

/// A server that people would use instead, where it is installed: nothing is installed here.
struct Rival {
    let name: String
    /// Nil where it is not installed.
    let version: String?
    /// What to do where it is not.
    let advice: String
    /// What starts it at a port of this machine.
    let words: (UInt16) -> [String]

    /// The server that comes with Yjs's provider for web sockets, in Node.
    static func yWebsocket() -> Rival {
        // Where Debian has its modules: a Node of somebody else's does not look there.
        let modules = "NODE_PATH=/usr/share/nodejs"
        let asked = #"require("ws"), require("y-websocket/package.json").version"#
        return Rival(
            name: "y-websocket", version: output(of: "\(modules) node -p \(quoted(asked))"),
            advice: "apt-get install node-y-websocket node-ws",
            words: { ["env", modules, "HOST=127.0.0.1", "PORT=\($0)", "y-websocket-server"] })
    }

    /// The server of pycrdt, in Python on Rust; run by uvicorn.
    static func pycrdtWebsocket(python: String) -> Rival {
        let asked = "import uvicorn, websockets, pycrdt.websocket as one; print(one.__version__)"
        return Rival(
            name: "pycrdt-websocket", version: output(of: "\(quoted(python)) -c \(quoted(asked))"),
            advice: "pip install pycrdt-websocket uvicorn websockets, and name that Python by --python",
            words: { [python, "-c", program, String($0)] })
    }

    /// As its guide has it. Rooms stay when nobody is there, as documents do elsewhere.
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

    /// Started with what it says in a file, and listening.
    func started(log: String) -> ServerProcess {
        let port = Rival.freePort()
        return ServerProcess(words(port), log: log) {
            let deadline = wallNanoseconds() + 20e9
            while wallNanoseconds() < deadline {
                if let found = connection(to: port) {
                    close(found)
                    return port
                }
                usleep(10_000)
            }
            preconditionFailure("\(name) does not listen; what it says is in \(log)")
        }
    }

    /// A port that nobody listens at: neither server says which one the system has chosen.
    private static func freePort() -> UInt16 {
        let (descriptor, port) = listeningSocket()
        close(descriptor)
        return port
    }

    /// The one line that a command of the shell prints; nil where it fails.
    private static func output(of command: String) -> String? {
        printed(by: command + " 2>/dev/null")?.split(separator: "\n").first.map(String.init)
    }
}
