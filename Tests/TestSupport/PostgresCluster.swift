import FoundationEssentials
import Glibc
import Synchronization

/// A server of PostgreSQL for tests, in a folder of its own, which listens only on a socket in that folder.
///
/// A shell starts the server and obeys commands. When its input ends, it stops the server and removes the folder. So
/// nothing is left even if the test process is killed.
package final class PostgresCluster: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The cluster that the tests of this process share.
    package static let shared = Result { () throws(Failure) in try PostgresCluster() }

    private let folder: String
    private let shell: CommandShell
    private let schemas = Atomic(0)

    /// How many stores the tests of one process may make.
    private static let mostSchemas = 1_000

    /// PostgreSQL refuses to run as root, so root becomes `nobody` first. Debian has its programs in a folder for each
    /// version. The names of the schemas are made at once, because each call of `psql` takes a tenth of a second.
    private static let script = #"""
        set -eu
        cd "$1"
        PATH=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1):$PATH
        as=
        if [ "$(id -u)" = 0 ]; then
            as='setpriv --reuid=nobody --regid=nogroup --clear-groups'
            chown nobody:nogroup .
        fi
        $as initdb --pgdata=data --username=caret --auth=trust --encoding=UTF8 --no-sync --data-checksums >log 2>&1
        sql() { psql --quiet --no-psqlrc --host="$PWD" --username=caret --dbname=postgres "$@" >>log 2>&1; }
        # run FOLDER PORT: starts a server, and waits until it accepts connections. Its process is $last then.
        run() {
            $as postgres -D "$1" -k "$PWD" -p "$2" -c listen_addresses= -c max_connections=500 -c shared_buffers=64MB \
                -c autovacuum_naptime=5min >>log 2>&1 </dev/null &
            last=$!
            until pg_isready --quiet --host="$PWD" --port="$2" --username=caret --dbname=postgres; do
                kill -0 $last
                sleep 0.05
            done
        }
        start() { run data 5432 && server=$last; }
        stop() { kill -"$1" $server; wait $server || true; }
        standby=
        standby() {
            case $1 in
                add)
                    $as pg_basebackup --pgdata=standby --host="$PWD" --username=caret --write-recovery-conf \
                        --checkpoint=fast >>log 2>&1
                    run standby 5433 && standby=$last
                    sql --command="ALTER SYSTEM SET synchronous_standby_names = '*'"
                    sql --command='SELECT pg_reload_conf()'
                    ;;
                start) run standby 5433 && standby=$last ;;
                stop) kill -INT $standby && { wait $standby || true; } ;;
                promote) $as pg_ctl promote --pgdata=standby --wait >>log 2>&1 ;;
            esac
        }
        finish() {
            kill -INT $server $standby 2>/dev/null || true
            wait
            cd /
            rm -rf "$1"
        }
        start
        printf '%s\n' "SELECT format('CREATE SCHEMA store_%s', number) FROM generate_series(1, $2) AS number \\gexec" | sql
        trap 'finish "$1"' EXIT
        trap 'exit 1' HUP INT TERM
        echo ready
        while read -r word rest; do
            case $word in
                start) start ;;
                stop) stop "$rest" ;;
                standby) standby "$rest" ;;
                signal) kill -"$rest" $server $(pgrep -P $server) || true ;;
                sql) sql --command="$rest" ;;
                background) sql --command="$rest" & ;;
            esac
            echo ready
        done
        """#

    package init() throws(Failure) {
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
        folder = base + "/caret-pg-\(getpid())-\(UInt32.random(in: .min ... .max))"
        guard mkdir(folder, 0o755) == 0,
            let shell = CommandShell(
                PostgresCluster.script, [folder, "\(PostgresCluster.mostSchemas)"])
        else {
            throw Failure(description: "no folder for PostgreSQL: \(String(cString: strerror(errno)))")
        }
        self.shell = shell
        guard shell.nextLine() != nil else {
            throw Failure(description: "PostgreSQL does not start: \(log)")
        }
        // The shell waits for the end of its input, which comes with the end of this process.
    }

    private var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no output" }

    /// The address of a new empty schema.
    package func newAddress() -> String {
        let number = schemas.add(1, ordering: .relaxed).newValue
        precondition(number <= PostgresCluster.mostSchemas, "the tests need more schemas")
        return address(ofSchema: number)
    }

    /// The address of the schema that `newAddress` has returned first.
    package var addressOfFirstSchema: String { address(ofSchema: 1) }

    /// The first server and its standby, for the schema that `newAddress` has returned first.
    package var addressOfBoth: String {
        addressOfFirstSchema.replacing("host=\(folder)", with: "host=\(folder),\(folder)&port=5432,5433")
    }

    private func address(ofSchema number: Int) -> String {
        "postgres:///postgres?host=\(folder)&user=caret&options=-csearch_path%3Dstore_\(number)"
    }

    // MARK: Commands

    /// Stops the server: with `INT` as an operator does, and with `QUIT` as a crash does.
    package func stop(_ signal: String = "INT") throws(Failure) { try command("stop \(signal)") }

    package func start() throws(Failure) { try command("start") }

    /// Sends a signal to all processes of the server, such as `STOP` and `CONT`.
    package func signal(_ name: String) throws(Failure) { try command("signal \(name)") }

    /// Adds a standby that must confirm each commit, at the port 5433.
    package func addStandby() throws(Failure) { try command("standby add") }

    package func stopStandby() throws(Failure) { try command("standby stop") }

    package func startStandby() throws(Failure) { try command("standby start") }

    /// Lets the standby accept writes. The first server must be stopped.
    package func promoteStandby() throws(Failure) { try command("standby promote") }

    package func execute(_ sql: String) throws(Failure) { try command("sql \(sql)") }

    /// A block of SQL that runs statements, and then asks again and again until the condition holds. PostgreSQL tells
    /// nobody when a process waits, or when a row of another connection appears. Ends after about ten minutes at most.
    package static func block(_ statements: String = "", until condition: String) -> String {
        let body =
            "BEGIN \(statements) FOR i IN 1..60000 LOOP PERFORM pg_stat_clear_snapshot(); EXIT WHEN \(condition); "
            + "PERFORM pg_sleep(0.01); END LOOP; END"
        return "DO '\(body.replacing("'", with: "''"))'"
    }

    /// Does not wait for the end of the statements, which run in one transaction.
    package func executeInBackground(_ sql: String) throws(Failure) { try command("background \(sql)") }

    private func command(_ line: String) throws(Failure) {
        if shell.answer(to: line) == nil {
            throw Failure(description: "the command failed: \(line): \(log)")
        }
    }
}
