/// The statuses that this server sends.
package enum Status: Int, Sendable, CaseIterable {
    case switchingProtocols = 101
    case ok = 200
    case noContent = 204
    case badRequest = 400
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case contentTooLarge = 413
    case targetTooLong = 414
    case expectationFailed = 417
    case misdirectedRequest = 421
    case upgradeRequired = 426
    case headTooLarge = 431
    case serviceUnavailable = 503
    case unsupportedVersion = 505

    var phrase: String {
        switch self {
        case .switchingProtocols: "Switching Protocols"
        case .ok: "OK"
        case .noContent: "No Content"
        case .badRequest: "Bad Request"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .contentTooLarge: "Content Too Large"
        case .targetTooLong: "URI Too Long"
        case .expectationFailed: "Expectation Failed"
        case .misdirectedRequest: "Misdirected Request"
        case .upgradeRequired: "Upgrade Required"
        case .headTooLarge: "Request Header Fields Too Large"
        case .serviceUnavailable: "Service Unavailable"
        case .unsupportedVersion: "HTTP Version Not Supported"
        }
    }

    /// Whether the response to this status may have a body.
    var mayHaveBody: Bool { self != .switchingProtocols && self != .noContent }
}
