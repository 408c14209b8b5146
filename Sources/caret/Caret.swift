import CaretConfig
import FoundationEssentials
import Glibc

/// The command for people and administrators: it finds the subcommand, runs it, and says how it ended.
@main
struct Caret {
    static func main() async {
        let (output, errors) = (Output(STDOUT_FILENO), Output(STDERR_FILENO))
        var code: ExitCode
        do {
            code = try await run(output, errors)
        } catch {
            code = report(error, errors)
        }
        if !output.flush() {
            code = report(Failure("not all of the output could be written"), errors)
        }
        // Where nobody can be told, the code has to do.
        _ = errors.flush()
        exit(code.rawValue)
    }

    private static func run(_ output: Output, _ errors: Output) async throws -> ExitCode {
        let asked = try Asked(Array(CommandLine.arguments.dropFirst()))
        switch asked.order {
        case .version: output.write("caret \(Version.number)\n")
        case .help(let command): output.write(command.map { HelpPage.text(of: $0) } ?? HelpPage.overview)
        case .run(let type):
            let command = try type.init(asked.given)
            let environment = ProcessInfo.processInfo.environment
            let stage = try Stage(asked.given, environment, output: output, errors: errors)
            return try await command.run(on: stage)
        }
        return .done
    }

    private static func report(_ error: any Error, _ errors: Output) -> ExitCode {
        let failure = Failure(error)
        // What is wrong may be the options themselves, so they are not asked.
        let isJSON = CommandLine.arguments.prefix { $0 != "--" }.contains(CommonOptions.json.flag)
        if !isJSON, (error as? UsageFault)?.problem == .noCommand {
            errors.write(HelpPage.usage)
        } else {
            errors.write(failure.text(isJSON: isJSON))
        }
        return failure.code
    }
}
