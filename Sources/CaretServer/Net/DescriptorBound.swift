import Glibc

/// Limits how many of the process's file descriptors are used for connections.
enum DescriptorBound {
    /// A connection's descriptor must be below this number. The rest of the process keeps `left` descriptors,
    /// or a quarter of all if that is less.
    static func current(leaving left: Int) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = Int(clamping: limit.rlim_cur)
        return max(most - left, most - most / 4)
    }

    /// Returns how many more connections can be accepted now.
    static func free(leaving left: Int) -> Int {
        let bound = current(leaving: left)
        // Tests each of the first 4096 numbers with a system call. The server does this only once, when it
        // starts.
        return (0..<min(bound, 4096)).count { fcntl(Int32($0), F_GETFD) < 0 } + max(0, bound - 4096)
    }
}
