/// A request that a member answers.
struct PendingRequest: Sendable {
    enum Phase: Equatable {
        /// The server has not welcomed the member yet.
        case joining
        /// The request waits for the server's next message, which decides the next step.
        case waiting
        /// The body is being read.
        case body
    }

    var exchange: any Exchange
    var phase = Phase.joining
    var frame: BodyFrame?
    /// Whether parts of the response were sent. If so, no other response can be sent any more.
    var hasBegunResponse = false
    /// The number of the computation of the response.
    var computation: Int?
    /// When the exchange no longer waits for messages of the server.
    var until: Int64?
    var body: BodyReader
    /// Whether the client waits for `100 Continue` before it sends the body.
    let awaitsContinue: Bool
    let isHead: Bool
    /// Whether the client sends no further request.
    let isLast: Bool

    /// The other site whose page sent the request.
    let otherSite: String?

    init(_ exchange: any Exchange, _ head: RequestHead, for otherSite: String?) {
        self.otherSite = otherSite
        self.exchange = exchange
        body = BodyReader(head.body)
        awaitsContinue =
            head.version == .http11 && head.fields["expect"].contains { $0.equals("100-continue") }
        isHead = head.method == "HEAD"
        isLast = !head.keepsAlive
    }

    /// How the response ends. If a body was not read to its end, the next request cannot be found.
    func recipient(isStopping: Bool) -> Response.Recipient {
        Response.Recipient(
            isHead: isHead, closes: isLast || isStopping || !body.isAtEnd, otherSite: otherSite)
    }
}
