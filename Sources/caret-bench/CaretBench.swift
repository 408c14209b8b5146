import Glibc

/// Measures what ships, and beside it in the same run what it is compared with.
@main struct CaretBench {
    static let usage = """
        usage: caret-bench core [--quick]

          core     the shared core: text, difference, rebase, selections
          --quick  fewer rounds, for a first look; the figures of record are made without it
        """

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let rounds = arguments.contains("--quick") ? 3 : 15
        switch arguments.first {
        case "core" where arguments.dropFirst().allSatisfy { $0 == "--quick" }:
            Machine.describe(command: "caret-bench " + arguments.joined(separator: " "))
            CoreBenchmarks(rounds: rounds).run()
        case "--help", "-h":
            print(usage)
        default:
            let text = Array((usage + "\n").utf8)
            write(STDERR_FILENO, text, text.count)
            exit(64)
        }
    }
}
