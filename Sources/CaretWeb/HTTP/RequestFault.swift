/// Why the bytes of a client are not a request that this server accepts. The connection closes after the
/// answer, because the end of such a request is not known.
package struct RequestFault: Error, Equatable, Sendable {
    package enum Status: Int, Sendable {
        case badRequest = 400
        case targetTooLong = 414
        case headTooLarge = 431
        case unsupportedVersion = 505
    }

    package let status: Status
    /// What is wrong, for people to read.
    package let message: String

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    static func bad(_ message: String) -> RequestFault { RequestFault(.badRequest, message) }
}
