/// Why a server does not start with a configuration: where, what was found, and what is allowed.
package struct ConfigurationFault: Error, Equatable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        case syntax(JSON5Fault.Reason)
        /// The file holds something else than an object.
        case noObject
        /// No key, or no option, has this name; this one is close.
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

    /// A variable and an option stand before the sentence already.
    private func unknown(_ name: String) -> String {
        switch origin {
        case .byDefault, .file: "there is no \(name.echoed)"
        case .variable: "no key has this variable"
        case .flag: "no such option"
        }
    }

    private var sentence: String {
        switch problem {
        case .syntax(let reason): JSON5Fault(reason: reason, place: .start).description
        case .noObject: "a configuration is an object, such as {data: \"data\"}"
        case .unknown(let name, let closest): unknown(name) + (closest.map { "; is it \($0)?" } ?? "")
        case .notAllowed(let key, let found, let allowed): "\(key): found \(found), allowed is \(allowed)"
        case .optionWithoutValue(let allowed): "a value is missing; allowed is \(allowed)"
        case .doubledOption: "it is there twice"
        case .strayArgument: "an argument that is no option; options begin with --"
        case .contradiction(let contradiction): contradiction.description
        }
    }
}
