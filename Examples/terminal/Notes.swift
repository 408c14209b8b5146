import CaretClient
import Foundation

/// Shows a document in the terminal, and adds each line that the user enters to its end. Everybody who has
/// the document open sees the line at once.
@main struct Notes {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let address = ServerAddress(arguments[1]) else {
            print("usage: terminal-notes ADDRESS DOCUMENT, for example: terminal-notes localhost notes")
            exit(2)
        }
        let user = ProcessInfo.processInfo.userName
        let client = LiveClient(address, ClientOptions(person: PersonInfo(name: user)))
        let document = client.open(arguments[2], creating: true)
        let screen = Task {
            for await snapshot in document.snapshots where snapshot.state != .opening { show(snapshot) }
        }
        // Waiting for a line blocks a thread, so it has one of its own.
        let lines = AsyncStream<String> { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
        for await line in lines { try document.append(line + "\n") }
        try await document.saved()
        screen.cancel()
    }

    private static func show(_ snapshot: DocumentSnapshot) {
        // In a terminal, each snapshot replaces the one before.
        if isatty(STDOUT_FILENO) == 1 { print("\u{1B}[2J\u{1B}[H", terminator: "") }
        print(snapshot.text.string, terminator: "")
        let others = snapshot.peers.map { $0.person?.name ?? $0.user }
        let company = others.isEmpty ? "nobody else is here" : "here: " + others.joined(separator: ", ")
        print("-- \(snapshot.name), \(snapshot.state), \(company) --")
        fflush(nil)
    }
}
