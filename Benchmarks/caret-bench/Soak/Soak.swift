@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// `caret-bench soak`: clients and documents come and go for a long time. Afterwards the server must not keep
/// memory, descriptors or threads for them.
struct Soak {
    static let measure =
        "The resources that caretd uses without clients, before and after many clients and documents come and go."

    private let minutes: Double
    private let folder: String

    private static let visitors = 8
    /// Minutes of load before the first measurement. In this time the caches and tables of the server grow.
    private static let warmUp = 5.0
    /// Seconds in which idle rooms are unloaded, idle threads end, and upkeep runs.
    private static let settling: UInt32 = 30
    /// The number of measurements after `settling`, one a second.
    private static let idleMeasurements = 10
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
        let server = ServerProcess(caretd: program, data: base.makeFolder("soak"), options: Soak.options)
        defer { server.end() }
        let fresh = ResourceUsage(of: server)
        churn(at: server, minutes: Soak.warmUp, seed: 1)
        let start = idleUsage(server)
        let tally = churn(at: server, minutes: minutes, seed: 2)
        let end = idleUsage(server)
        var table = Table(["", "resident", "", ""])
        table.row(["ready, before any client"] + fresh.cells)
        table.row(["start, after a warm-up of \(Soak.warmUp.digits(1)) min"] + start.cells)
        table.row(["end, after \(minutes.digits(1)) min more"] + end.cells)
        table.print(
            under:
                "The lowest use of resources by caretd without clients and documents, measured \(Soak.settling) to \(Int(Soak.settling) + Soak.idleMeasurements) s after the load"
        )
        let refusals = tally.refusals.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        print("Refusals by code: " + refusals.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + "\n")
        let goals = [
            Goal("memory", .atMost(start.resident * 1.1), end.resident) { $0.megabytes },
            Goal("descriptors", .atMost(Double(start.descriptors)), Double(end.descriptors)) { $0.digits(0) },
            // Upkeep threads come and go, so two threads more than at the start are allowed.
            Goal("threads", .atMost(Double(start.threads + 2)), Double(end.threads)) { $0.digits(0) },
        ]
        Goal.print(goals)
        return goals.allSatisfy(\.isReached)
    }

    // MARK: Clients that come and go

    /// Runs visitors for a time, and prints the server's use of resources every minute.
    @discardableResult
    private func churn(at server: ServerProcess, minutes: Double, seed: UInt64) -> SoakVisitor.Tally {
        let (sharedTally, group, port) = (SharedTally(), DispatchGroup(), server.port)
        let end = wallNanoseconds() + minutes * 60e9
        for number in 0..<Soak.visitors {
            DispatchQueue(label: "visitor").async(group: group) {
                var visitor = SoakVisitor(number, port: port, seed: seed)
                while wallNanoseconds() < end { sharedTally.add(visitor.runClient()) }
            }
        }
        print("Clients come and go for \(minutes.digits(1)) min.")
        while group.wait(timeout: .now() + .seconds(60)) == .timedOut {
            let (sum, usage) = (sharedTally.sum, ResourceUsage(of: server))
            print(
                "  \(sum.clients) clients, \(sum.pushes) pushes so far; \(usage.cells.joined(separator: ", "))"
            )
            fflush(nil)
        }
        let sum = sharedTally.sum
        print(
            "  \(sum.clients) clients, \(sum.documents) documents of their own, \(sum.pushes) pushes in all\n"
        )
        SoakVisitor.clearShared(port: port)
        return sum
    }

    private func idleUsage(_ server: ServerProcess) -> ResourceUsage {
        sleep(Soak.settling)
        // The least of several measurements, because queues and upkeep use threads for short times.
        var least = ResourceUsage(of: server)
        for _ in 0..<Soak.idleMeasurements {
            sleep(1)
            least.keepMinimum(of: ResourceUsage(of: server))
        }
        return least
    }

    /// The sum of the work of all visitors, who run on several queues.
    private final class SharedTally: Sendable {
        private let tally = Mutex(SoakVisitor.Tally())

        func add(_ one: SoakVisitor.Tally) { tally.withLock { $0 += one } }

        var sum: SoakVisitor.Tally { tally.withLock { $0 } }
    }

    /// The system's resources that a server uses at one moment.
    private struct ResourceUsage {
        private(set) var resident: Double
        private(set) var descriptors: Int
        private(set) var threads: Int

        init(of server: ServerProcess) {
            (resident, descriptors, threads) = (server.resident, server.descriptors, server.threads)
        }

        mutating func keepMinimum(of other: ResourceUsage) {
            resident = min(resident, other.resident)
            descriptors = min(descriptors, other.descriptors)
            threads = min(threads, other.threads)
        }

        var cells: [String] { [resident.megabytes, "\(descriptors) descriptors", "\(threads) threads"] }
    }
}
