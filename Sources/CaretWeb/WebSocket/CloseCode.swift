/// Why a WebSocket closes, as a number in its last frame. RFC 6455 names the numbers below 3000.
package struct CloseCode: Equatable, Hashable, Sendable {
    package let value: UInt16

    init(_ value: UInt16) { self.value = value }

    package static let normal = CloseCode(1000)
    package static let goingAway = CloseCode(1001)
    package static let protocolError = CloseCode(1002)
    package static let unsupportedData = CloseCode(1003)
    package static let invalidText = CloseCode(1007)
    package static let policyViolation = CloseCode(1008)
    package static let messageTooBig = CloseCode(1009)
    package static let internalError = CloseCode(1011)
    package static let tryAgainLater = CloseCode(1013)

    /// Whether a peer may send this code. Other codes are not assigned, or mean that no code was sent.
    var isValid: Bool {
        switch value {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// Why the bytes of a peer are not valid frames. The server closes the WebSocket with the code.
package struct FrameFault: Error, Equatable, Sendable {
    package let code: CloseCode
    /// What is wrong, for people. It fits into a close frame.
    package let message: String

    init(_ code: CloseCode, _ message: String) {
        self.code = code
        self.message = message
    }

    static func violation(_ message: String) -> FrameFault { FrameFault(.protocolError, message) }
}
