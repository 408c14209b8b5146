import Glibc

/// `caret-bench server`: the server over sockets and disk, compared to a bare server that does the same work.
struct ServerBenchmarks {
    static let measure =
        "caretd compared with two servers in C that sync each push too. All are processes on this machine."

    /// How many seconds each server is measured in each case.
    private let seconds: Double
    private let folder: String
    private let options: Options

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        let options = Options(
            arguments, flags: ["--quick", "--alone"], valued: ["--seconds", "--folder", "--against"],
            takesWords: true)
        guard let options, let seconds = options.number("--seconds", otherwise: options.isQuick ? 2 : 10)
        else { return nil }
        (self.seconds, folder) = (seconds, options.folder)
        self.options = options
    }

    func run() async {
        let program = BenchServers.program(named: "caretd")
        ServerBenchmarks.raiseDescriptors()
        let base = BenchFolder(in: folder)
        print("The files are in \(folder), on \(Machine.fileSystem(of: folder)).\n")
        defer { base.remove() }
        let servers = BenchServers(
            program: program, against: options["--against"], base: base, isAlone: options.has("--alone"))
        let crowds = ServerCrowds.cases.filter { options.wants($0.name) }
        if !crowds.isEmpty {
            ServerCrowds(servers: servers, turns: CrowdTurns(of: seconds * 1e9)).run(crowds)
        }
        let carets = ServerPresence.cases.filter { options.wants($0.name) }
        if !carets.isEmpty { ServerPresence(servers: servers, seconds: seconds).run(carets) }
        await ServerMemory(servers: servers).run(options.wants)
        if options.wants(ServerJoining.name) { await ServerJoining(servers: servers, seconds: seconds).run() }
        if options.wants(ServerWholeTexts.name) { ServerWholeTexts(servers: servers, seconds: seconds).run() }
        if options.wants(ServerSlowReader.name) { ServerSlowReader(servers: servers, seconds: seconds).run() }
    }

    /// Both ends of thousands of connections need more descriptors than the default limit.
    static func raiseDescriptors() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
