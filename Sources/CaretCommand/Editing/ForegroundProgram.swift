import Dispatch
import Glibc

/// A running editor or browser, which uses the terminal of this process.
struct ForegroundProgram {
    private let id: pid_t

    /// Starts a shell with these words.
    init(_ words: [String]) throws(Failure) {
        var process: pid_t = 0
        let words = words.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of a dispatch queue block most signals. If the program inherited the blocked signals, it
        // would not notice Ctrl-C or a new size of its window.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let code = posix_spawn(&process, "/bin/sh", nil, &attributes, words, environ)
        if code != 0 { throw Failure("a shell could not be started: \(String(cString: strerror(code)))") }
        // While the program runs, only the program reacts to Ctrl-C and Ctrl-\.
        signal(SIGINT, SIG_IGN)
        signal(SIGQUIT, SIG_IGN)
        id = process
    }

    /// Waits for the end of the program. Returns its status, as a shell reports it.
    func end() async -> Int32 {
        await withCheckedContinuation { waiter in
            // Blocks a thread for as long as the program runs.
            DispatchQueue(label: "program").async {
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                signal(SIGINT, SIG_DFL)
                signal(SIGQUIT, SIG_DFL)
                waiter.resume(returning: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
            }
        }
    }
}
