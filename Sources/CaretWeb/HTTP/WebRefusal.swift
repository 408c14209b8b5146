import CaretWire

/// Why a request is refused before the server looks for any document.
package struct WebRefusal: Error, Equatable, Sendable {
    package let status: Status
    /// What is wrong, for people.
    package let message: String
    private let code: String
    /// The code, if it exists only over HTTP.
    let webCode: WebCode?
    private(set) var fields: [Response.Field] = []

    /// A refusal with a code that exists only over HTTP.
    init(_ status: Status, _ code: WebCode, _ message: String) {
        self.status = status
        self.code = code.rawValue
        webCode = code
        self.message = message
    }

    /// A refusal with a code of the protocol.
    init(_ status: Status, _ code: ErrorCode, _ message: String) {
        self.status = status
        self.code = code.rawValue
        webCode = nil
        self.message = message
    }

    init(_ fault: RequestFault) {
        let isVersion = fault.status == .unsupportedVersion
        self.init(Status(fault.status), isVersion ? .badVersion : .badRequest, fault.message)
    }

    func adding(_ name: String, _ value: String) -> WebRefusal {
        var refusal = self
        refusal.fields.append(Response.Field(name: name, value: value))
        return refusal
    }

    /// The body is the same `error` object that a client without HTTP receives as a line.
    var response: Response {
        var response = ErrorReport(unlisted: code, message).response(status)
        for field in fields { response.add(field.name, field.value) }
        return response
    }

}

/// The codes of errors that exist only over HTTP.
package enum WebCode: String, CaseIterable, Sendable {
    case badRequest = "bad_request"
    case badOrigin = "bad_origin"
    case badMethod = "bad_method"
    case badHost = "bad_host"
    case badType = "bad_type"
    case badVersion = "bad_version"
    case upgradeRequired = "upgrade_required"
    case conditionRequired = "condition_required"
    case replaced
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
