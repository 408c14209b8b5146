/// A read of a newest text. Many clients send the same request again and again over one connection. The result of
/// parsing and checking its head depends only on its bytes, so the connection keeps it.
struct RepeatableRead: Sendable {
    /// The bytes of the whole head.
    let head: [UInt8]
    /// The request, as it was when the member began to answer it.
    let request: PendingRequest

    /// Longer heads are not kept, because there may be very many connections.
    private static let longestHead = 1_024

    /// Nil if the request is not a read of a newest text, or if its answer has begun already.
    init?(_ head: Slice<UnsafeRawBufferPointer>, _ request: PendingRequest) {
        guard let reading = request.exchange as? Reading, reading.isOfNewestText, request.phase == .waiting,
            request.body.isAtEnd, head.count <= RepeatableRead.longestHead
        else { return nil }
        self.head = Array(head)
        self.request = request
    }
}
