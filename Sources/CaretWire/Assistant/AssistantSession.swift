/// A session of the Model Context Protocol on standard input and output.
///
/// It is a value without input and output, so that tests can follow it step by step.
package struct AssistantSession {
    package enum Step: Equatable, Sendable {
        case answer(line: [UInt8])
        /// Run the tool, and pass the result to `finished`.
        case call(ToolCall, RequestID)
        /// The assistant no longer wants the result of this call.
        case cancel(RequestID)
    }

    private let answers: AssistantAnswers
    /// The calls that have no result yet. A program must not reuse the id of such a call.
    private var running: [RequestID: AssistantAnswers.CalledTool] = [:]
    private var isInitialized = false

    package init(_ answers: AssistantAnswers) { self.answers = answers }

    /// Handles a line. Returns nil if it needs no answer.
    package mutating func received(_ line: [UInt8]) -> Step? {
        do throws(RPCFault) {
            let message = try AssistantMessage(line)
            guard let id = message.id else { return notified(message.content) }
            try checkOrder(of: message, id)
            switch try answers.step(for: message) {
            case nil: return nil
            case .answer(let line): return .answer(line: line)
            case .call(let call, let tool):
                if running[id] != nil {
                    throw RPCFault(
                        .invalid, "the id \(id.words) is in use by a call without a result", id: id)
                }
                running[id] = tool
                return .call(call, id)
            }
        } catch {
            return .answer(line: answers.answer(to: error))
        }
    }

    /// The line that answers a call. Nil if the call was cancelled.
    package mutating func finished(_ id: RequestID, _ result: ToolResult) -> [UInt8]? {
        running.removeValue(forKey: id).map { answers.answer(to: $0, with: result) }
    }

    /// Before the stateless version, a session begins with `initialize`.
    private mutating func checkOrder(of message: AssistantMessage, _ id: RequestID) throws(RPCFault) {
        if message.version != nil { return }
        switch message.content {
        case .initialize: isInitialized = true
        case .listTools, .call, .badArguments:
            if !isInitialized { throw RPCFault(.invalid, "send initialize first", id: id) }
        case .discover, .ping, .cancelled, .other: break
        }
    }

    private mutating func notified(_ content: AssistantMessage.Content) -> Step? {
        guard case .cancelled(let id) = content, running.removeValue(forKey: id) != nil else { return nil }
        return .cancel(id)
    }
}

extension RequestID {
    fileprivate var words: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): "\"\(text)\""
        }
    }
}
