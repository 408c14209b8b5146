import CaretCore
import CaretWire

/// The parameters of a request, checked against those that its resource has.
struct Query: Sendable {
    private let target: RequestTarget

    /// Refuses parameters that the resource does not have, because a misspelled one would be ignored.
    init(_ target: RequestTarget, allowing names: [String]) throws(WebRefusal) {
        for name in target.names where !names.contains(name) {
            let allowed = names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))"
            throw WebRefusal(
                .badRequest, .badRequest, "this resource has no parameter \(name.prefix(64)); \(allowed)")
        }
        self.target = target
    }

    func text(_ name: String) -> WireString? { target[name].map { WireString($0) } }

    func number(_ name: String) throws(WebRefusal) -> Int? {
        guard let text = target[name] else { return nil }
        guard let number = Int(digits: text) else {
            throw WebRefusal(.badRequest, .badRequest, "\(name) must be a number, not \(text.prefix(64))")
        }
        return number
    }

    /// The revision in the parameter `revision`, or the time in the parameter `at`.
    func moment(_ revision: String) throws(WebRefusal) -> Moment {
        switch (try number(revision), try number("at")) {
        case (let number?, nil): return .revision(Revision(number))
        case (nil, let time?): return .time(time)
        case (nil, nil): return .unspecified
        case (_?, _?):
            throw WebRefusal(
                .badRequest, .badRequest, "the query has both `\(revision)` and `at`; use only one of them")
        }
    }

    /// The value of a parameter that has only these values.
    func choice(_ name: String, _ values: [String]) throws(WebRefusal) -> String? {
        guard let text = target[name] else { return nil }
        guard values.contains(text) else {
            throw WebRefusal(
                .badRequest, .badRequest,
                "\(name) must be \(values.joined(separator: " or ")), not \(text.prefix(64))")
        }
        return text
    }

    /// A version such as `k2v9.1/7`.
    func version(_ name: String) throws(WebRefusal) -> EntityTag? {
        guard let text = target[name] else { return nil }
        guard let tag = EntityTag(text) else {
            throw WebRefusal(
                .badRequest, .badRequest,
                "\(name) must be an epoch and a revision, such as k2v9.1/7, not \(text.prefix(64))")
        }
        return tag
    }

    /// The unit of all offsets and lengths in the request and its response.
    func unit() throws(WebRefusal) -> CodeUnit {
        let word = try choice("unit", CodeUnit.all.map(\.word))
        return CodeUnit.all.first { $0.word == word } ?? .utf16
    }
}

extension RequestHead {
    /// Refuses a body of another type, or in another character encoding. A body without a type is accepted.
    func require(contentType types: [String]) throws(WebRefusal) {
        for charset in fields["content-type"].flatMap(MediaType.charsets)
        where !["utf-8", "us-ascii"].contains(charset) {
            throw WebRefusal(
                .unsupportedMediaType, .badType, "the body must be UTF-8, not \(charset.prefix(64))")
        }
        guard let sent = fields["content-type"].first.map(MediaType.sent), !types.contains(sent) else {
            return
        }
        let hint =
            sent == "application/x-www-form-urlencoded"
            ? "; with curl, use -T FILE or -H 'Content-Type: \(types[0])'" : ""
        throw WebRefusal(
            .unsupportedMediaType, .badType, "the body must be \(types[0]), not \(sent.prefix(64))\(hint)")
    }
}
