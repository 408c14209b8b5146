/// `caret-bench web`: what WebSocket, TLS and HTTP cost, compared with lines.
struct WebBenchmarks {
    static let measure = """
        caretd over WebSocket, TLS and HTTP, compared with lines in the same run. Servers and clients share this machine,
        so the goals are for CPU times of the server's process and for ratios.
        """

    /// How many seconds each server is measured in each case.
    private let seconds: Double
    private let options: Options

    /// Nil if the arguments are invalid.
    init?(_ arguments: [String]) {
        let options = Options(arguments, valued: ["--seconds", "--folder"], takesWords: true)
        guard let options, let seconds = options.number("--seconds", otherwise: options.isQuick ? 2 : 10)
        else { return nil }
        (self.seconds, self.options) = (seconds, options)
    }

    func run() {
        let program = BenchServers.program(named: "caretd")
        ServerBenchmarks.raiseDescriptors()
        let base = BenchFolder(in: options.folder)
        print("The files are in \(options.folder), on \(Machine.fileSystem(of: options.folder)).\n")
        defer { base.remove() }
        let servers = WebServers(BenchServers(program: program, base: base, isAlone: false))
        let cases = WebFanOut.cases.filter { options.wants($0.name) }
        if !cases.isEmpty { WebFanOut(servers: servers, turns: CrowdTurns(of: seconds * 1e9)).run(cases) }
        if options.wants(WebMemory.name) { WebMemory(servers: servers).run() }
        if options.wants(WebHandshakes.name) { WebHandshakes(servers: servers, seconds: seconds).run() }
        if options.wants(WebReading.name) { WebReading(servers: servers, seconds: seconds).run() }
        if options.wants(WebLongTexts.name) { WebLongTexts(servers: servers, seconds: seconds).run() }
        if options.wants(WebUnreadAnswers.name) { WebUnreadAnswers(servers: servers).run() }
        if options.wants(WebSlowHeads.name) { WebSlowHeads(servers: servers, seconds: seconds).run() }
    }
}
