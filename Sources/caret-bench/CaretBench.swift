import Glibc

/// Measures what ships, and beside it in the same run what it is compared with.
@main struct CaretBench {
    static let usage = """
        usage: caret-bench core|wire [--quick]

          core     the shared core: text, difference, rebase, selections
          wire     lines and messages, beside Foundation's coders
          --quick  fewer rounds, for a first look; the figures of record are made without it
        """

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let rounds = arguments.contains("--quick") ? 3 : 15
        let isKnown = arguments.dropFirst().allSatisfy { $0 == "--quick" }
        switch arguments.first {
        case "core" where isKnown:
            Machine.describe(command: "caret-bench " + arguments.joined(separator: " "))
            CoreBenchmarks(rounds: rounds).run()
        case "wire" where isKnown:
            Machine.describe(command: "caret-bench " + arguments.joined(separator: " "))
            WireBenchmarks(rounds: rounds).run()
        case "--help", "-h":
            print(usage)
        default:
            let text = Array((usage + "\n").utf8)
            write(STDERR_FILENO, text, text.count)
            exit(64)
        }
    }
}
