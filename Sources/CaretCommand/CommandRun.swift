import CaretConfig
import FoundationEssentials
import Glibc

/// One run of the command: finds the subcommand, runs it, and reports a failure.
package struct CommandRun: Sendable {
    /// The command line without the name of the program.
    private let arguments: [String]
    private let output = Output(STDOUT_FILENO)
    private let errors = Output(STDERR_FILENO)

    package init(arguments: [String]) { self.arguments = arguments }

    package func exitCode() async -> Int32 {
        var code: ExitCode
        do {
            code = try await run()
        } catch {
            code = report(error)
        }
        if !output.flush() {
            code = report(Failure("the output could not be written completely"))
        }
        // If standard error is closed, the exit code alone reports the failure.
        _ = errors.flush()
        return code.rawValue
    }

    private func run() async throws -> ExitCode {
        let parsed = try ParsedCommand(arguments)
        switch parsed.action {
        case .version: output.write("caret \(Version.line)\n")
        case .help(let command): output.write(command.map { HelpPage.text(of: $0) } ?? HelpPage.overview)
        case .run(let type):
            let command = try type.init(parsed.arguments)
            let environment = ProcessInfo.processInfo.environment
            let context = try CommandContext(parsed.arguments, environment, output: output, errors: errors)
            return try await command.run(in: context)
        }
        return .done
    }

    private func report(_ error: any Error) -> ExitCode {
        let failure = Failure(error)
        // After a usage error there are no parsed options, so this code searches the words for the flag.
        let isJSON = arguments.prefix { $0 != "--" }.contains(CommonOptions.json.flag)
        if !isJSON, (error as? UsageFault)?.problem == .noCommand {
            errors.write(HelpPage.usage)
        } else {
            errors.write(failure.text(isJSON: isJSON))
        }
        return failure.code
    }
}
