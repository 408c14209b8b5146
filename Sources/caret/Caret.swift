import CaretCommand
import Glibc

/// The program `caret`. `CaretCommand` contains all its code.
@main
struct Caret {
    static func main() async {
        let run = CommandRun(arguments: Array(CommandLine.arguments.dropFirst()))
        exit(await run.exitCode())
    }
}
