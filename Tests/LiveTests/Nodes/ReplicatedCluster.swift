import Foundation
import Glibc
import TestSupport
import Testing

/// A primary of PostgreSQL with two standbys, each in a network namespace of its own. Three servers of Caret can run in
/// three more namespaces. Where no namespaces can be made, PostgreSQL listens on sockets in a folder only.
///
/// The test calls `end` at its end.
final class ReplicatedCluster {
    /// Why no network namespaces can be made here; nil if they can.
    static let networkObstacle: String? = {
        guard let shell = CommandShell(ReplicaScript.probe, []) else { return "there is no shell" }
        defer { shell.end() }
        let line = shell.nextLine()
        return line == "possible" ? nil : line ?? "the shell has ended"
    }()

    /// Which standbys must have a change before its commit is confirmed.
    enum Confirmation: String {
        case byOneStandby = "ANY 1 (member1, member2, member3)"
        case byNone = ""
    }

    let hasNetwork = networkObstacle == nil
    private let folder: String
    private let shell: CommandShell

    init(_ confirmation: Confirmation = .byOneStandby) throws {
        let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
        folder = base + "/caret-pg-\(getpid())-\(UInt32.random(in: .min ... .max))"
        if mkdir(folder, 0o755) != 0 { throw SystemFailure("mkdir", errno) }
        let arguments = [folder, confirmation.rawValue, hasNetwork ? "yes" : "no"]
        guard let shell = CommandShell(ReplicaScript.text, arguments) else {
            throw Unexpected("there is no shell")
        }
        self.shell = shell
        guard shell.nextLine() == "ready" else {
            let log = log
            shell.end()
            throw Unexpected("PostgreSQL does not start: \(log)")
        }
    }

    deinit { end() }

    /// Ends PostgreSQL and everything in the namespaces, and removes the folder.
    func end() { shell.end() }

    private var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no output" }

    /// All three servers of PostgreSQL, for a store.
    var address: String {
        let hosts = hasNetwork ? (1...3).map { "10.77.0.\($0)" } : Array(repeating: folder, count: 3)
        return "postgres:///postgres?host=\(hosts.joined(separator: ","))&port=5432,5433,5434&user=caret"
            + "&sslmode=disable&options=-csearch_path%3Dstore"
    }

    /// A command that runs another one in the namespace of a node: `a`, `b` or `c`.
    func wrapper(of node: String) -> [String] {
        hasNetwork ? ["nsenter", "--net=\(folder)/network/\(node)", "--"] : []
    }

    // MARK: Faults

    /// Cuts the primary from its standbys. Without a network, stops the standbys instead.
    func isolatePrimary() throws { try command("isolate") }

    /// Ends `isolatePrimary`.
    func rejoinPrimary() throws { try command("rejoin") }

    func crashPrimary() throws { try command("crash") }

    /// Makes a primary of the standby that has most. The former primary must have crashed, or be isolated. Without a
    /// network, an isolated primary crashes now.
    func promote() throws { try command("promote") }

    /// Makes a standby of the former primary.
    func restoreFormerPrimary(wasIsolated: Bool = false) throws {
        try command(wasIsolated && hasNetwork ? "restore isolated" : "restore")
    }

    func crashStandby(_ number: Int) throws { try command("stop \(number)") }

    func startStandby(_ number: Int) throws { try command("run \(number)") }

    /// The numbers of the standbys.
    func standbys() throws -> [Int] {
        let primary = try answer(to: "primary")
        return (1...3).filter { "\($0)" != primary }
    }

    /// Cuts a node from the primary, or from all members.
    func cut(_ node: String, from members: [Int]) throws {
        try command("divide \(node) \(words(members))")
    }

    /// Ends `cut`.
    func join(_ node: String, to members: [Int]) throws { try command("unite \(node) \(words(members))") }

    func primary() throws -> Int { try #require(Int(try answer(to: "primary"))) }

    /// Delays each packet by 0 to 10 ms. Returns why this is not possible; nil if it is.
    func delayPackets() throws -> String? {
        let answer = try answer(to: "delay")
        return answer == "ready" ? nil : answer
    }

    func stopDelaying() throws { try command("undelay") }

    /// Cancels all commits that wait for standbys, and returns their number.
    func cancelWaitingCommits() throws -> Int { try #require(Int(try answer(to: "cancel"))) }

    /// Empties the list of synchronous standbys of the running primary.
    func emptyList() throws { try command("empty_list") }

    func fillList() throws { try command("fill_list") }

    /// Locks the row of a document for three seconds.
    func lockRow() throws { try command("lock_row") }

    /// Stops the PostgreSQL processes of all buses. Returns their number.
    func muteBuses() throws -> Int { try #require(Int(try answer(to: "mute"))) }

    func unmuteBuses() throws { try command("unmute") }

    /// Ends the PostgreSQL processes of all buses.
    func endBuses() throws { try command("end_buses") }

    private func command(_ line: String) throws {
        let answer = try answer(to: line)
        if answer != "ready" { throw Unexpected("\(line): \(answer)") }
    }

    private func answer(to line: String) throws -> String {
        guard let answer = shell.answer(to: line) else {
            throw Unexpected("the command failed: \(line): \(log.suffix(2_000))")
        }
        return answer
    }

    private func words(_ members: [Int]) -> String { members.map(String.init).joined(separator: " ") }
}
