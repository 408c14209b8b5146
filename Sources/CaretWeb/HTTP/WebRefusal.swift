import CaretWire

/// Why a request is not served, before any document is looked at.
package struct WebRefusal: Error, Equatable, Sendable {
    package let status: Status
    /// What is wrong, for people.
    package let message: String
    private(set) var fields: [Response.Field] = []

    init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    init(_ fault: RequestFault) {
        self.init(Status(fault.status), fault.message)
    }

    func adding(_ name: String, _ value: String) -> WebRefusal {
        var refusal = self
        refusal.fields.append(Response.Field(name: name, value: value))
        return refusal
    }

    /// The body is the same `error` object as on lines.
    var response: Response {
        var writer = JSONWriter()
        ErrorReport(unlisted: code, message).encode(into: &writer)
        var response = Response(status, "application/json", writer.bytes)
        for field in fields { response.add(field.name, field.value) }
        return response
    }

    private var code: String {
        switch status {
        case .forbidden: "bad_origin"
        case .notFound: "not_found"
        case .methodNotAllowed: "bad_method"
        case .misdirectedRequest: "bad_host"
        case .upgradeRequired: "upgrade_required"
        case .unsupportedVersion: "bad_version"
        case .contentTooLarge: "too_large"
        case .serviceUnavailable: "shutting_down"
        case .badRequest, .requestTimeout, .targetTooLong, .expectationFailed, .headTooLarge,
            .switchingProtocols, .ok, .noContent:
            "bad_request"
        }
    }
}

extension Status {
    init(_ status: RequestFault.Status) {
        self =
            switch status {
            case .badRequest: .badRequest
            case .targetTooLong: .targetTooLong
            case .headTooLarge: .headTooLarge
            case .unsupportedVersion: .unsupportedVersion
            }
    }
}
