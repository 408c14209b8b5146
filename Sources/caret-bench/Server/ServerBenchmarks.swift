import FoundationEssentials
import Glibc

/// `caret-bench server`: the server itself over sockets and disk, beside a bare one that does the same work.
struct ServerBenchmarks {
    static let measure =
        "caretd over sockets of this machine, beside a bare server in C with the same synced writes; both as processes."

    /// How long each server is measured in each case, in seconds.
    private var seconds = 10.0
    private var folder = FileManager.default.temporaryDirectory.path
    private var isAlone = false
    /// Which cases, by how they begin; all where there is none.
    private var names: [String] = []

    /// Nil where the arguments are not those of the command.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": seconds = 2
            case "--alone": isAlone = true
            case "--seconds":
                guard let number = rest.popFirst().flatMap({ Double($0) }), number > 0 else { return nil }
                seconds = number
            case "--folder":
                guard let path = rest.popFirst() else { return nil }
                folder = path
            default: names.append(argument)
            }
        }
    }

    func run() async {
        let program = BenchServers.found
        ServerBenchmarks.raiseDescriptors()
        let base = BenchFolder(path: folder + "/caret-bench-\(getpid())")
        print("The files are in \(folder), on \(Machine.fileSystem(of: folder)).\n")
        defer { base.remove() }
        let servers = BenchServers(program: program, base: base, isAlone: isAlone)
        let crowds = ServerCrowds.cases.filter { isWanted($0.name) }
        if !crowds.isEmpty { ServerCrowds(servers: servers, time: seconds * 1e9).run(crowds) }
        await ServerMemory(servers: servers).run(isWanted)
        if isWanted(ServerJoining.name) { await ServerJoining(servers: servers, seconds: seconds).run() }
        if isWanted(ServerSilence.name) { ServerSilence(servers: servers, seconds: seconds).run() }
    }

    private func isWanted(_ name: String) -> Bool {
        names.isEmpty || names.contains { name.utf8.starts(with: $0.utf8) }
    }

    /// Both ends of some thousand connections need more of them than a program usually has.
    static func raiseDescriptors() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
