@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// `caret-bench soak`: clients and documents come and go for a long time. Afterwards the server must hold no
/// memory, descriptors or threads for them.
struct Soak {
    static let measure =
        "The resources that caretd holds when all clients have left, before and after clients and documents come and go."

    private let minutes: Double
    private let folder: String

    private static let visitors = 8
    /// Minutes of load before the first measurement. In this time the caches and tables of the server grow.
    private static let warmUp = 5.0
    /// Seconds in which idle rooms are unloaded, idle threads end, and upkeep runs.
    private static let settling: UInt32 = 30
    /// The number of measurements after `settling`, one a second.
    private static let looks = 10
    private static let options = [
        "--limit-idle-room-time", "1 s", "--limit-rest-time", "500 ms", "--ping", "5 s",
        "--upkeep-every", "2 s", "--keep-deleted", "0 s", "--keep-history", "50 revisions",
    ]

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        guard let options = Options(arguments, flags: [], valued: ["--minutes", "--folder"]),
            let minutes = options.number("--minutes", otherwise: 10)
        else { return nil }
        (self.minutes, folder) = (minutes, options.folder)
    }

    /// Returns whether the server released everything.
    func run(_ program: String) -> Bool {
        let base = BenchFolder(in: folder)
        defer { base.remove() }
        let server = ServerProcess(caretd: program, data: base.made("soak"), options: Soak.options)
        defer { server.end() }
        let fresh = Holding(of: server)
        churn(at: server, minutes: Soak.warmUp, seed: 1)
        let start = idleHolding(server)
        let tally = churn(at: server, minutes: minutes, seed: 2)
        let end = idleHolding(server)
        var table = Table(["", "resident", "", ""])
        table.row(["ready, before any client"] + fresh.cells)
        table.row(["start, after a warm-up of \(Soak.warmUp.digits(1)) min"] + start.cells)
        table.row(["end, after \(minutes.digits(1)) min more"] + end.cells)
        table.print(
            under:
                "The least that caretd holds without clients and documents, \(Soak.settling) to \(Int(Soak.settling) + Soak.looks) s after the load"
        )
        let refusals = tally.refusals.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        print("Refusals by code: " + refusals.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + "\n")
        let goals = [
            Goal("memory", .atMost(start.resident * 1.1), end.resident) { $0.megabytes },
            Goal("descriptors", .atMost(Double(start.descriptors)), Double(end.descriptors)) { $0.digits(0) },
            // The number of upkeep threads is never constant.
            Goal("threads", .atMost(Double(start.threads + 2)), Double(end.threads)) { $0.digits(0) },
        ]
        Goal.print(goals)
        return goals.allSatisfy(\.isReached)
    }

    // MARK: Clients that come and go

    /// Runs visitors for a time, and prints every minute what the server holds.
    @discardableResult
    private func churn(at server: ServerProcess, minutes: Double, seed: UInt64) -> SoakVisitor.Tally {
        let (ledger, group, port) = (Ledger(), DispatchGroup(), server.port)
        let end = wallNanoseconds() + minutes * 60e9
        for number in 0..<Soak.visitors {
            DispatchQueue(label: "visitor").async(group: group) {
                var visitor = SoakVisitor(number, port: port, seed: seed)
                while wallNanoseconds() < end { ledger.add(visitor.live()) }
            }
        }
        print("Clients come and go for \(minutes.digits(1)) min.")
        while group.wait(timeout: .now() + .seconds(60)) == .timedOut {
            let (sum, holding) = (ledger.sum, Holding(of: server))
            print(
                "  \(sum.clients) clients, \(sum.pushes) pushes so far; \(holding.cells.joined(separator: ", "))"
            )
            fflush(nil)
        }
        let sum = ledger.sum
        print(
            "  \(sum.clients) clients, \(sum.documents) documents of their own, \(sum.pushes) pushes in all\n"
        )
        SoakVisitor.clearShared(port: port)
        return sum
    }

    private func idleHolding(_ server: ServerProcess) -> Holding {
        sleep(Soak.settling)
        // The least of several measurements, because queues and upkeep use threads for short times.
        var least = Holding(of: server)
        for _ in 0..<Soak.looks {
            sleep(1)
            least.subtract(Holding(of: server))
        }
        return least
    }

    /// The sum of the work of all visitors, who run on several queues.
    private final class Ledger: Sendable {
        private let tally = Mutex(SoakVisitor.Tally())

        func add(_ one: SoakVisitor.Tally) { tally.withLock { $0 += one } }

        var sum: SoakVisitor.Tally { tally.withLock { $0 } }
    }

    /// The system's resources that a server holds at one moment.
    private struct Holding {
        private(set) var resident: Double
        private(set) var descriptors: Int
        private(set) var threads: Int

        init(of server: ServerProcess) {
            (resident, descriptors, threads) = (server.resident, server.descriptors, server.threads)
        }

        mutating func subtract(_ other: Holding) {
            resident = min(resident, other.resident)
            descriptors = min(descriptors, other.descriptors)
            threads = min(threads, other.threads)
        }

        var cells: [String] { [resident.megabytes, "\(descriptors) descriptors", "\(threads) threads"] }
    }
}
