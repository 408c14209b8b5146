import CaretConfig
import CaretTLS
import FoundationEssentials
import Glibc

/// The server program. The exit code is 0 after a normal end, 1 after a failure, and 2 for wrong usage or a
/// wrong configuration.
@main
struct Caretd {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        let invocation = Invocation(
            arguments: Array(CommandLine.arguments.dropFirst()), environment: environment)
        switch invocation.action {
        case .help: finish(printing: HelpText.help)
        case .version: finish(printing: "caretd \(Version.number)\n")
        case .helpConfig: finish(printing: HelpText.exampleFile)
        case .checkConfig: checkConfiguration(configuration(invocation, environment))
        case .serve: exit(await Service(configuration(invocation, environment)).run())
        }
    }

    private static func checkConfiguration(_ configuration: Configuration) -> Never {
        do throws(TLSFault) {
            let files = TLSFiles(configuration.settings)
            let certificate = try files.map { files throws(TLSFault) in
                try TLSServerContext(files).certificate
            }
            finish(printing: configuration.report + (certificate?.report ?? ""))
        } catch {
            StandardStream.error.write("caretd: \(error)\n")
            exit(2)
        }
    }

    private static func finish(printing text: String) -> Never {
        exit(StandardStream.output.write(text) ? 0 : 1)
    }

    private static func configuration(
        _ invocation: Invocation, _ environment: [String: String]
    ) -> Configuration {
        let configuration = Configuration(
            invocation, file: invocation.file.map(read), environment: environment)
        if configuration.faults.isEmpty { return configuration }
        for fault in configuration.faults { StandardStream.error.write("caretd: \(fault)\n") }
        exit(2)
    }

    private static func read(_ path: String) -> Configuration.File {
        do {
            return Configuration.File(path: path, bytes: Array(try Data(contentsOf: URL(filePath: path))))
        } catch {
            // The Swift error does not contain the system's reason. `errno` does.
            let reason = String(cString: strerror(errno))
            StandardStream.error.write("caretd: \(path): the configuration cannot be read: \(reason)\n")
            exit(2)
        }
    }
}

extension Certificate {
    /// Comment lines for the report about a configuration.
    fileprivate var report: String {
        """
        // The certificate is for \(names.joined(separator: ", ")).
        // It ends at \(end), in \(daysLeft(at: .now)) days. Its SHA-256 is \(fingerprintText).

        """
    }
}
