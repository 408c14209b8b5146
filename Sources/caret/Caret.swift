import CaretCommand
import Glibc

/// The program `caret`. The module `CaretCommand` contains the code of the whole program.
@main
struct Caret {
    static func main() async {
        let run = CommandRun(arguments: Array(CommandLine.arguments.dropFirst()))
        exit(await run.exitCode())
    }
}
