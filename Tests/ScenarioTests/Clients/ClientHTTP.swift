import CaretCore
import CaretWire

/// A client's end of a connection with HTTP. The server answers the requests in their order.
struct ClientHTTP {
    /// A request with what had been reported to any client when it was sent.
    struct Sent {
        let request: HTTPRequest
        /// The newest revision of each history.
        let newest: [WireString: Revision]
    }

    var reader = ResponseReader()
    /// All requests that were sent on this connection.
    var requests: [Sent] = []
    /// The number of responses that the server has begun to send.
    var responses = 0
    /// The number of responses that have arrived.
    private var answered = 0
    /// The newest revision of each history in the responses that have arrived.
    private(set) var newest: [WireString: Revision] = [:]

    mutating func note(_ revision: Revision, of epoch: WireString) {
        newest[epoch] = max(revision, newest[epoch] ?? 0)
    }

    /// The request that the next response to arrive answers.
    mutating func takeAnswered() -> Sent? {
        guard answered < requests.count else { return nil }
        answered += 1
        return requests[answered - 1]
    }

    var isIdle: Bool { answered == requests.count }
}

/// What a machine does on connections with HTTP.
extension Machine {
    /// Sends a request, unless there is no connection. `program` then sends it on the next one.
    func send(_ request: HTTPRequest) {
        guard let link, !link.hasEndedOutput else { return }
        var random = world.dice.roll(.body, request.number, at: world.now)
        let bytes = request.bytes(of: index, &random)
        if world.printsMessages { world.print(bytes, from: index) }
        world.referee.recordSent(request, on: link)
        link.up.append(world.fault.bytes(bytes, of: request, index))
        world.schedule(up: link)
    }

    func receivedResponses(_ bytes: [UInt8], on link: Link) {
        link.http?.reader.receive(bytes)
        do throws(ResponseReader.Fault) {
            while world.failure == nil, !link.isGone, let response = try link.http?.reader.next() {
                received(response, on: link)
            }
        } catch {
            world.fail(.wire, "client \(index): \(error.what)")
        }
    }

    private func received(_ response: HTTPResponse, on link: Link) {
        guard let sent = link.sent.next(), let request = link.http?.takeAnswered() else {
            return world.fail(.answer, "client \(index) received a response without a request")
        }
        world.referee.received(response, to: request, sent, on: link)
        guard link === self.link, world.failure == nil else { return }
        (program as? HTTPClient)?.received(response, to: request.request)
    }
}
