import CaretCommand
import Glibc

/// The command for people and administrators; `CaretCommand` does everything.
@main
struct Caret {
    static func main() async {
        let run = CommandRun(arguments: Array(CommandLine.arguments.dropFirst()))
        exit(await run.exitCode())
    }
}
