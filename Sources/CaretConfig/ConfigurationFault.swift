/// Why a server does not start with a configuration: the position, the value found, and the allowed values.
package struct ConfigurationFault: Error, Equatable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        case syntax(JSON5Fault.Reason)
        /// The file's value is not an object.
        case noObject
        /// No key or option has this name; `closest` is a similar one.
        case unknown(String, closest: String?)
        case notAllowed(key: String, found: String, allowed: String)
        case optionWithoutValue(allowed: String)
        case doubledOption
        case strayArgument
        case contradiction(Contradiction)
    }

    package let origin: ValueOrigin
    package let problem: Problem

    package var description: String { "\(origin): \(sentence)" }

    /// For a variable or an option, the message does not repeat the name, because `description` begins with
    /// it.
    private func unknown(_ name: String) -> String {
        switch origin {
        case .byDefault, .file: "no key is named \(name.echoed)"
        case .variable: "no key has this variable"
        case .flag: "no such option"
        }
    }

    private var sentence: String {
        switch problem {
        case .syntax(let reason): JSON5Fault(reason: reason, position: .start).description
        case .noObject: "a configuration must be an object, such as {data: \"data\"}"
        case .unknown(let name, let closest): unknown(name) + (closest.map { "; did you mean \($0)?" } ?? "")
        case .notAllowed(let key, let found, let allowed): "\(key): found \(found), allowed is \(allowed)"
        case .optionWithoutValue(let allowed): "a value is missing; allowed is \(allowed)"
        case .doubledOption: "the option is given twice"
        case .strayArgument: "this argument is not an option; options begin with --"
        case .contradiction(let contradiction): contradiction.description
        }
    }
}
