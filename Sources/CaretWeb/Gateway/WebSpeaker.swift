// What speaks the protocol for the client is changed in place: taken out of `speaker`, changed, and put back. Otherwise
// `speaker` would refer to the same arrays meanwhile, and each change would copy them.
extension WebState {
    /// The member that speaks for requests.
    var requester: WebMember? {
        if case .requester(let member) = speaker { member } else { nil }
    }

    var socket: WebSocketState? {
        if case .socket(let socket) = speaker { socket } else { nil }
    }

    var stream: EventStreamState? {
        if case .stream(let stream) = speaker { stream } else { nil }
    }

    /// Returns nil if there is no requester.
    mutating func changeRequester<Result>(_ change: (inout WebMember) -> Result) -> Result? {
        guard case .requester(var member) = speaker else { return nil }
        speaker = .nobody
        defer { speaker = .requester(member) }
        return change(&member)
    }

    /// Returns nil if the connection is no WebSocket.
    mutating func changeSocket<Result>(_ change: (inout WebSocketState) -> Result) -> Result? {
        guard case .socket(var socket) = speaker else { return nil }
        speaker = .nobody
        defer { speaker = .socket(socket) }
        return change(&socket)
    }

    /// Returns nil if there is no event stream.
    mutating func changeStream<Result>(_ change: (inout EventStreamState) -> Result) -> Result? {
        guard case .stream(var stream) = speaker else { return nil }
        speaker = .nobody
        defer { speaker = .stream(stream) }
        return change(&stream)
    }
}
