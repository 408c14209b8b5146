import CaretConfig
import CaretTLS
import Glibc

/// The server program. The exit code is 0 after a normal end, 1 after a failure, and 2 for wrong usage or a
/// wrong configuration.
@main
struct Caretd {
    static func main() {
        let source = ConfigurationSource()
        switch source.invocation.action {
        case .help: finish(printing: HelpText.help)
        case .version: finish(printing: "caretd \(Version.line)\n")
        case .helpConfig: finish(printing: HelpText.exampleFile)
        case .checkConfig: checkConfiguration(configuration(from: source))
        case .serve: serve(configuration(from: source), from: source)
        }
    }

    private static func serve(_ configuration: Configuration, from source: ConfigurationSource) -> Never {
        let signals = ServerSignals()
        Task { exit(await Service(configuration, from: source).run(until: signals)) }
        signals.watch()
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

    private static func configuration(from source: ConfigurationSource) -> Configuration {
        do throws(InvalidConfiguration) {
            return try source.load()
        } catch {
            for fault in error.faults { StandardStream.error.write("caretd: \(fault)\n") }
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
