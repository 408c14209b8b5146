import CFaultVFS
import CaretLog
import CaretStore
import Glibc
import TestSupport

/// A process for tests. It does the steps of a fixed run on a disk that fails, becomes full or is recorded.
///
/// It writes the number of acked steps to standard output and to the trace. Its exit status is an `Ending`.
@main struct StoreFaults {
    static func main() async {
        guard let arguments = Arguments(Array(CommandLine.arguments.dropFirst())), arguments.install() else {
            end(.misused)
        }
        let run = SeededStoreRun(
            seed: arguments.seed, rounds: arguments.rounds, atOnce: arguments.fillsDisk ? 1 : 3)
        do {
            var runner = try Runner(run, in: arguments.folder)
            if arguments.paste > 0 { end(try await runner.outgrowIndex(arguments.paste)) }
            if arguments.diesWhenFull { end(try await runner.fillDiskAndDie()) }
            end(
                arguments.fillsDisk
                    ? try await runner.fillDisk(arguments.ballast)
                    : try await runner.all(backup: arguments.backup))
        } catch let error as OpeningFault {
            printLine("refused to open: \(error)")
            end(.refusedToOpen)
        } catch {
            printLine("unexpected: \(error)")
            end(.unexpected)
        }
    }

    private static func end(_ ending: Ending) -> Never { exit(ending.rawValue) }
}

/// The exit status of the process.
enum Ending: Int32 {
    case done = 0
    case misused = 2
    case refusedToOpen = 3
    /// The store has stopped writing.
    case stopped = 4
    case unexpected = 5
}

/// Writes a line in one call, so that a kill never leaves a part of the line.
func printLine(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    write(STDOUT_FILENO, bytes, bytes.count)
}
