import FoundationEssentials
import Glibc

/// Runs PostgreSQL for benchmarks, and delays each commit by a millisecond. This delay is much longer than a write to the
/// disk, so the figures hardly depend on the disk.
final class BenchPostgres {
    private let folder: String
    private let programs: String
    private var server: ServerProcess
    private var schemas = 0

    /// Debian has the programs in a folder for each version.
    static let programs: String? = {
        let found = printed(by: "ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1") ?? ""
        let path = String(found.prefix { $0 != "\n" })
        return path.isEmpty ? nil : path
    }()

    /// Starts the server in a folder that does not exist yet.
    init(in folder: String, _ programs: String) {
        (self.folder, self.programs) = (folder, programs)
        BenchPostgres.run(
            """
            mkdir \(quoted(folder)) && { [ "$(id -u)" != 0 ] || chown nobody:nogroup \(quoted(folder)); } && \
            \(BenchPostgres.user) \(quoted(programs))/initdb --pgdata=\(quoted(folder))/data --username=caret --auth=trust \
            --encoding=UTF8 --data-checksums >\(quoted(folder)).initdb 2>&1
            """)
        server = BenchPostgres.started(in: folder, programs)
    }

    private static func started(in folder: String, _ programs: String) -> ServerProcess {
        let options =
            "-c listen_addresses= -c max_connections=300 -c shared_buffers=256MB -c max_wal_size=2GB "
            + "-c commit_delay=1000 -c commit_siblings=0 -c fsync=on -c synchronous_commit=on"
        let command =
            "exec \(user) \(quoted(programs))/postgres -D \(quoted(folder))/data -k \(quoted(folder)) \(options)"
        let isReady =
            "\(quoted(programs))/pg_isready --quiet --host=\(quoted(folder)) --username=caret --dbname=postgres"
        return ServerProcess(["/bin/sh", "-c", command], log: folder + ".log") {
            // PostgreSQL tells nobody when it is ready; one has to ask.
            for _ in 0..<1_000 {
                if printed(by: isReady) != nil { return 0 }
                usleep(20_000)
            }
            CaretBench.end(1, "caret-bench: PostgreSQL does not start; its log is \(folder).log")
        }
    }

    /// PostgreSQL refuses to run as root.
    private static var user: String {
        geteuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : ""
    }

    private static func run(_ command: String) {
        if printed(by: command) == nil { CaretBench.end(1, "caret-bench: this failed: \(command)") }
    }

    /// The address of a new empty schema.
    func newAddress() -> String {
        schemas += 1
        BenchPostgres.run(
            "\(quoted(programs))/psql --quiet --host=\(quoted(folder)) --username=caret --dbname=postgres "
                + "--command='CREATE SCHEMA bench_\(schemas)'")
        return "postgres:///postgres?host=\(folder)&user=caret&options=-csearch_path%3Dbench_\(schemas)"
    }

    /// Writes all changed pages, so that no later measurement pays for them.
    func checkpoint() {
        BenchPostgres.run(
            "\(quoted(programs))/psql --quiet --host=\(quoted(folder)) --username=caret --dbname=postgres --command=CHECKPOINT"
        )
    }

    /// The CPU time of all its processes that run now, in nanoseconds.
    var nanoseconds: Double {
        processes.reduce(server.nanoseconds) { sum, process in
            var (clock, time) = (clockid_t(), timespec())
            // The process may have ended meanwhile.
            guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
                return sum
            }
            return sum + Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
        }
    }

    private var processes: [pid_t] {
        let path = "/proc/\(server.process)/task/\(server.process)/children"
        let text = mustSucceed { try String(contentsOfFile: path, encoding: .utf8) }
        return text.split(separator: " ").compactMap { pid_t($0) }
    }

    func end() { server.end() }

    /// Ends PostgreSQL although it has clients, which cannot connect again until `startAgain`.
    func stop() {
        // Without this, it would wait for its clients.
        kill(server.process, SIGINT)
        server.end()
    }

    /// Returns when PostgreSQL accepts connections.
    func startAgain() { server = BenchPostgres.started(in: folder, programs) }
}
