import CaretReplica
import CaretWire

/// What the shell of a client must do: a `ClientAction` together with the callers that wait for it.
enum ShellAction {
    case connect(to: ServerAddress, within: Milliseconds)
    case fetchToken(question: Int)
    case keepUser(WireString)
    case disconnect
    case setLimits(Limits.Announced)
    case send(ClientMessage, id: RequestID?)
    case answer(CheckedContinuation<ServerMessage, any Error>, Result<ServerMessage, any Error>)
    case reportProgress(@Sendable (RequestProgress) -> Void, RequestProgress)
    case resumeWelcome(CheckedContinuation<Welcome, any Error>, Result<Welcome, any Error>)
    case deliver(CoalescingStream<PendingFollowEvents>, FollowEvent)
    case endFollow(CoalescingStream<PendingFollowEvents>, ConnectionFault)
    case updateStatus([CoalescingStream<PendingStatus>], ConnectionStatus)
    /// Write a sentence to standard error.
    case warn(String)
    case endStatuses([CoalescingStream<PendingStatus>])
    case update([CoalescingStream<PendingUpdates>], DocumentUpdate)
    case endUpdates([CoalescingStream<PendingUpdates>])
    case resumeGoal(CheckedContinuation<Void, any Error>, Result<Void, any Error>)
    case keep(DocumentKey)
    case wake(Moment)
}
