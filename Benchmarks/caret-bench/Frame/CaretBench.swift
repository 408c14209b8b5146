import Glibc

/// Measures the product and, in the same run, the code that it is compared with.
@main struct CaretBench {
    static let usage = """
        usage: caret-bench all [--quick] [--report <folder>] [--python <program>] [--against <program>]
               caret-bench core|counters|wire|rooms [--quick]
               caret-bench net [--quick] [<beginning of a case's name>…]
               caret-bench server [--quick] [--seconds <n>] [--folder <folder>] [--alone]
                                  [--against <program>] [<beginning of a case's name>…]
               caret-bench nodes [--quick] [--seconds <n>] [--folder <folder>] [<beginning of a case's name>…]
               caret-bench growth [--quick] [--folder <folder>] [<beginning of a growth's name>…]
               caret-bench web [--quick] [--seconds <n>] [--folder <folder>] [<beginning of a case's name>…]
               caret-bench compare [--quick] [--seconds <n>] [--folder <folder>] [--python <program>]
                                   [--against <program>]
               caret-bench command [--quick] [--folder <folder>]
               caret-bench soak [--minutes <n>] [--folder <folder>]
               caret-bench store [--quick] [--folder <folder>] [--writing <count>] [throughput] [history] [old]
                                  [documents]

          all        runs core, wire, rooms, store, server, nodes, growth, web, compare and command, and writes a
                     report with plots
          core       the shared core: text, difference, rebase, selections
          counters   the server's counters and log
          wire       lines and messages, compared with Foundation's coders
          rooms      an open document: a push, a selection
          net        sockets: echo and fan-out of the server's loops, compared with a bare server in C
          server     caretd compared with two servers in C that also sync pushes; each is a process
          nodes      three servers over one PostgreSQL, compared with one server over it and one over SQLite; outages of
                     PostgreSQL
          growth     what operations cost caretd while a text, a history, or the number of documents or clients grows
          web        WebSocket, TLS and HTTP compared with lines, and HTTP with a bare server in C
          compare    caretd compared with a server in C, and with y-websocket and pycrdt-websocket, if they are installed
          command    the command line on a long history: blame, log, diff
          soak       many clients and documents come and go; fails if caretd then uses more memory, descriptors or threads
          store      the store: durable appends, long histories, old revisions, many documents; runs all, or the named ones
          --quick    fewer rounds, for a first look; do not use --quick for figures that you publish
          --seconds  how long each server is measured in each case
          --against  another build of caretd, to compare with; scripts/build-baseline makes that of the last release
          --alone    without the servers in C, for a profile
          --report   the folder for the report; default: docs/report
          --folder   the folder for stores, which are removed at the end; default: the folder for temporary files
          --python   the Python program that has pycrdt-websocket; default: python3
          --plots    an existing folder for the plots that a benchmark draws
          --writing  writes to this number of documents, instead of 1, 8, 32 and 1000; for a profile
        """

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let command = "caret-bench " + Options.shown(arguments)
        let name = arguments.isEmpty ? "" : arguments.removeFirst()
        switch name {
        case "core": inRounds(arguments, command) { CoreBenchmarks(rounds: $0).run() }
        case "counters": inRounds(arguments, command) { CounterBenchmarks(rounds: $0).run() }
        case "wire": inRounds(arguments, command) { WireBenchmarks(rounds: $0).run() }
        case "rooms":
            guard let options = Options(arguments) else { return refuse() }
            Machine.describe(command: command, RoomBenchmarks.measure)
            RoomBenchmarks(pushes: options.isQuick ? 200 : 2_000).run()
        case "net":
            guard let benchmarks = NetBenchmarks(arguments) else { return refuse() }
            Machine.describe(command: command, NetBenchmarks.measure)
            benchmarks.run()
        // The benchmarks run the bare servers with this subcommand.
        case "net-server" where [1, 2].contains(arguments.count):
            await NetServer.serve(as: arguments)
        case "server":
            guard let benchmarks = ServerBenchmarks(arguments) else { return refuse() }
            Machine.describe(command: command, ServerBenchmarks.measure)
            await benchmarks.run()
        case "nodes": runNodes(arguments, command)
        case "growth":
            guard let benchmarks = GrowthBenchmarks(arguments) else { return refuse() }
            Machine.describe(command: command, GrowthBenchmarks.measure)
            await benchmarks.run()
        case "web":
            guard let benchmarks = WebBenchmarks(arguments) else { return refuse() }
            Machine.describe(command: command, WebBenchmarks.measure)
            benchmarks.run()
        case "all":
            guard let report = WholeReport(arguments) else { return refuse() }
            report.run()
        case "compare":
            guard let comparison = Comparison(arguments) else { return refuse() }
            Machine.describe(command: command, Comparison.measure)
            comparison.run()
        case "command":
            guard let benchmarks = CommandBenchmarks(arguments) else { return refuse() }
            Machine.describe(command: command, CommandBenchmarks.measure)
            await benchmarks.run()
        case "soak":
            guard let soak = Soak(arguments) else { return refuse() }
            Machine.describe(command: command, Soak.measure)
            if !soak.run(BenchServers.program(named: "caretd")) { exit(1) }
        case "store":
            guard let benchmarks = StoreBenchmarks(arguments) else { return refuse() }
            Machine.describe(command: command, StoreBenchmarks.measure)
            await benchmarks.run()
        // `caret-bench store documents` runs the process that it measures with this subcommand.
        case "store-memory" where arguments.count == 1:
            await StoreMemory.measure(folder: arguments[0])
        case "--help", "-h":
            print(usage)
        default:
            refuse()
        }
    }

    private static func inRounds(_ arguments: [String], _ command: String, _ run: (Int) -> Void) {
        guard let options = Options(arguments) else { return refuse() }
        Machine.describe(command: command, CoreBenchmarks.measure)
        run(options.isQuick ? 3 : 15)
    }

    private static func runNodes(_ arguments: [String], _ command: String) {
        guard let benchmarks = NodesBenchmarks(arguments) else { return refuse() }
        Machine.describe(command: command, NodesBenchmarks.measure)
        benchmarks.run()
    }

    private static func refuse() { end(64, usage) }

    /// Prints the reason and ends this program.
    static func end(_ status: Int32, _ reason: String) -> Never {
        let text = Array((reason + "\n").utf8)
        write(STDERR_FILENO, text, text.count)
        exit(status)
    }
}
