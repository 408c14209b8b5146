/// The path and the query of a request, percent-decoded once.
package struct RequestTarget: Equatable, Sendable {
    private struct Parameter: Equatable, Sendable {
        let name: String
        let value: String
    }

    /// Begins with `/`, unless it is `*`.
    package let path: String
    private let parameters: [Parameter]

    /// Reads the target of a request line. A parameter must not occur twice, because some programs use its
    /// first value and others its last one.
    package init(_ text: String) throws(RequestFault) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = try Self.decoded(parts[0], hasPlusForSpace: false)
        var parameters: [Parameter] = []
        let pairs = parts.count > 1 ? parts[1].split(separator: UInt8(ascii: "&")) : []
        guard pairs.count <= HTTPLimits.parameters else {
            throw .bad(
                "the query has \(pairs.count) parameters; at most \(HTTPLimits.parameters) are allowed")
        }
        for pair in pairs {
            let words = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(words[0], hasPlusForSpace: true)
            let value = words.count > 1 ? try Self.decoded(words[1], hasPlusForSpace: true) : ""
            guard !parameters.contains(where: { $0.name == name }) else {
                throw .bad("the query has the parameter \(name.prefix(64)) more than once")
            }
            parameters.append(Parameter(name: name, value: value))
        }
        self.parameters = parameters
    }

    /// The names of the query's parameters, in the order sent.
    package var names: [String] { parameters.map(\.name) }

    /// The value of a parameter; nil if the query does not have it. `?name` and `?name=` both mean an empty value.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    private static func decoded(
        _ text: Substring.UTF8View, hasPlusForSpace: Bool
    ) throws(RequestFault) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy(\.isHexDigit),
                    let value = UInt8(String(Substring(digits)), radix: 16)
                else { throw .bad("% must be followed by two hexadecimal digits; % itself is written %25") }
                bytes.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+") where hasPlusForSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw .bad("the percent-encoded bytes of the target are not UTF-8")
        }
        return string
    }
}
