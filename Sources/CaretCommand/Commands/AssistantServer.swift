import CaretClient
import CaretConfig
import CaretWire
import Glibc
import Synchronization

/// Lets an assistant list, read and edit documents, by the Model Context Protocol on standard input and output.
struct AssistantServer: Subcommand {
    static let description = CommandDescription(
        "mcp", "lets an assistant read and edit documents, by the Model Context Protocol",
        details: """
            The program of the assistant starts this command, and talks to it on standard input and output. The assistant \
            can list and read documents, replace a passage, save a whole text that the server merges, and wait for \
            changes. Other people see its name and its caret. Give it a token with only the rights that it needs.
            """, options: PersonOptions.forAssistant)

    private let person: PersonInfo

    init(_ arguments: Arguments) throws(UsageFault) { person = try arguments.assistant() }

    func run(in context: CommandContext) async throws -> ExitCode {
        try await context.requireServer()
        try await context.stayConnected(seenAs: person) { client in
            await AssistantConnection(AssistantDocuments(client), context.output)
                .serve(InputLines(of: STDIN_FILENO))
        }
        return .done
    }
}

/// Runs the steps of an `AssistantSession`.
private final class AssistantConnection: Sendable {
    private struct State {
        var session = AssistantSession(AssistantAnswers(caretVersion: Version.number))
        var tasks: [RequestID: Task<Void, Never>] = [:]
        /// The calls that only wait for changes of others.
        var waits: Set<RequestID> = []
    }

    private let documents: AssistantDocuments
    private let output: Output
    private let state = Mutex(State())

    init(_ documents: AssistantDocuments, _ output: Output) {
        self.documents = documents
        self.output = output
    }

    /// Handles all lines, and waits until the calls that change documents have ended.
    func serve(_ lines: InputLines) async {
        // Calls change documents in the order in which they arrive. Calls that only wait do not delay others.
        var last: Task<Void, Never>?
        for await line in lines where !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) {
            switch state.withLock({ $0.session.received(line) }) {
            case nil: break
            case .answer(let line): put(line)
            case .cancel(let id): state.withLock { $0.tasks.removeValue(forKey: id) }?.cancel()
            case .call(let call, let id):
                let task = run(call, id, after: last)
                if !call.isWait { last = task }
            }
        }
        state.withLock { state in for id in state.waits { state.tasks[id]?.cancel() } }
        await last?.value
    }

    private func run(
        _ call: ToolCall, _ id: RequestID, after earlier: Task<Void, Never>?
    ) -> Task<Void, Never> {
        // Under the lock, so that the task is known before it ends.
        state.withLock { state in
            let task = Task {
                await earlier?.value
                finish(id, await documents.result(of: call))
            }
            state.tasks[id] = task
            if call.isWait { state.waits.insert(id) }
            return task
        }
    }

    private func finish(_ id: RequestID, _ result: ToolResult) {
        let line = state.withLock { state in
            state.tasks[id] = nil
            state.waits.remove(id)
            return state.session.finished(id, result)
        }
        if let line { put(line) }
    }

    private func put(_ line: [UInt8]) {
        output.write(line + [UInt8(ascii: "\n")])
        _ = output.flush()
    }
}

extension ToolCall {
    fileprivate var isWait: Bool {
        if case .wait = self { true } else { false }
    }
}
