import Glibc

/// How many of the process's descriptors connections may take.
enum DescriptorBound {
    /// What the number of a connection's descriptor is below; others may change it. The rest of the process is left `left`
    /// of them, or a quarter where there are few.
    static func current(leaving left: Int) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = Int(clamping: limit.rlim_cur)
        return max(most - left, most - most / 4)
    }

    /// How many connections would find a descriptor now.
    static func free(leaving left: Int) -> Int {
        let bound = current(leaving: left)
        // Looking at each is done once, and only where there are few.
        return (0..<min(bound, 4096)).count { fcntl(Int32($0), F_GETFD) < 0 } + max(0, bound - 4096)
    }
}
