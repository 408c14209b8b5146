/// Where a value came from.
package enum ValueOrigin: Equatable, Sendable, CustomStringConvertible {
    case byDefault
    case file(path: String, TextPlace)
    /// An environment variable, by its name.
    case variable(String)
    /// An option of the command line, by its name.
    case flag(String)

    package var description: String {
        switch self {
        case .byDefault: "default"
        case .file(let path, let place): "\(path):\(place)"
        case .variable(let name), .flag(let name): name
        }
    }
}
