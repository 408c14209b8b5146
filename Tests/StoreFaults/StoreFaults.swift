import CFaultVFS
import CaretLog
import CaretStore
import Glibc
import TestSupport

/// A process for tests whose disk fails, fills up or is recorded: does the steps of a fixed run one after the other.
///
/// It says on standard output and in the trace how many steps are acked, and ends as `Ending` says.
@main struct StoreFaults {
    static func main() async {
        guard let orders = Orders(Array(CommandLine.arguments.dropFirst())), orders.install() else {
            end(.misused)
        }
        let run = FixedRun(seed: orders.seed, rounds: orders.rounds, atOnce: orders.fillsDisk ? 1 : 3)
        do {
            var runner = try Runner(run, in: orders.folder)
            if orders.paste > 0 { end(try await runner.outgrowIndex(orders.paste)) }
            if orders.diesWhenFull { end(try await runner.fillDiskAndDie()) }
            end(
                orders.fillsDisk
                    ? try await runner.fillDisk(orders.ballast) : try await runner.all(backup: orders.backup))
        } catch let error as OpeningFault {
            say("refused to open: \(error)")
            end(.refusedToOpen)
        } catch {
            say("unexpected: \(error)")
            end(.unexpected)
        }
    }

    private static func end(_ ending: Ending) -> Never { exit(ending.rawValue) }
}

/// How the process ends.
enum Ending: Int32 {
    case done = 0
    case misused = 2
    case refusedToOpen = 3
    /// The store said that it writes no more.
    case stopped = 4
    case unexpected = 5
}

/// In one call, so that a line is whole or not there.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    write(STDOUT_FILENO, bytes, bytes.count)
}
