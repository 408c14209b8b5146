/// The source of a setting's value.
package enum ValueOrigin: Equatable, Sendable, CustomStringConvertible {
    case byDefault
    case file(path: String, TextPosition)
    /// The name of an environment variable.
    case variable(String)
    /// The name of a command line option.
    case flag(String)

    package var description: String {
        switch self {
        case .byDefault: "default"
        case .file(let path, let position): "\(path):\(position)"
        case .variable(let name), .flag(let name): name
        }
    }
}
