import CaretClient
import CaretCore
import CaretReplica
import CaretSync

/// Shows a document on the terminal as it changes, with the carets of all users.
struct Watch: Subcommand {
    static let description = CommandDescription(
        "watch", "shows a document on the terminal as it changes, with all carets and selections",
        details: """
            Long lines are wrapped. The arrow keys, space and b scroll. After scrolling, press f to follow the changes again. \
            Press q to quit.
            """,
        arguments: [Argument("DOC", .document, "the document")])

    private let document: String

    init(_ arguments: Arguments) throws(UsageFault) { document = try arguments.document(0) }

    func run(in context: CommandContext) async throws -> ExitCode {
        guard context.screen != nil, !context.isJSON else {
            throw Failure("watch needs a terminal", advice: "use `caret tail -f` instead")
        }
        try await context.requireServer()
        try await context.stayConnected(about: document) { client in
            let open = try await client.open(document, mode: .watch).opened()
            let terminal = try Terminal(for: "watch")
            defer { terminal.restore() }
            let (view, bell) = (WatchView(on: terminal), Bell())
            terminal.begin(ringing: bell) { view.press($0) }
            let listening = Task {
                for await update in open.updates {
                    if case .edited(let change, _) = update { view.changed(change) }
                    bell.ring()
                }
                terminal.end()
                bell.ring()
            }
            defer { listening.cancel() }
            while !terminal.isEnded {
                // This client pushes nothing, so a refusal means that the document can no longer be read.
                if case .refused = open.state { throw Failure(gone: open.name) }
                let page = WatchPage(
                    name: open.name, text: open.text, revision: open.revision,
                    isConnected: open.state == .saved,
                    peers: open.peers.map { WatchPage.Peer($0) }, isColored: context.style.isColored)
                view.show(page)
                await bell.wait(atMost: .seconds(60))
            }
        }
        return .done
    }
}

extension WatchPage.Peer {
    fileprivate init(_ peer: DocumentPeer) {
        self.init(
            name: peer.person?.name ?? peer.user, session: peer.session, selections: peer.selections)
    }
}
