import CaretConfig
import FoundationEssentials
import Glibc

/// Where the configuration comes from: the command line, the environment, and the file that they name.
struct ConfigurationSource: Sendable {
    let invocation: Invocation
    let environment: [String: String]

    init() {
        environment = ProcessInfo.processInfo.environment
        invocation = Invocation(
            arguments: Array(CommandLine.arguments.dropFirst()), environment: environment)
    }

    /// The configuration, checked. Each call reads the file again.
    func load() throws(InvalidConfiguration) -> Configuration {
        var file: Configuration.File?
        if let path = invocation.file { file = try read(path) }
        let configuration = Configuration(invocation, file: file, environment: environment)
        if configuration.faults.isEmpty { return configuration }
        throw InvalidConfiguration(faults: configuration.faults.map(\.description))
    }

    private func read(_ path: String) throws(InvalidConfiguration) -> Configuration.File {
        do {
            return Configuration.File(path: path, bytes: Array(try Data(contentsOf: URL(filePath: path))))
        } catch {
            // The Swift error does not contain the system's reason. `errno` does.
            let reason = String(cString: strerror(errno))
            throw InvalidConfiguration(faults: ["\(path): the configuration cannot be read: \(reason)"])
        }
    }
}

/// All faults of a configuration, as sentences. There is at least one.
struct InvalidConfiguration: Error {
    let faults: [String]
}
