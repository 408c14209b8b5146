import Glibc

/// How many of the process's descriptors connections may use.
enum DescriptorBound {
    /// The descriptors of connections must be below this number. That leaves `left` descriptors for the rest
    /// of the process, or a quarter of all if there are few.
    static func current(leaving left: Int) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = Int(clamping: limit.rlim_cur)
        return max(most - left, most - most / 4)
    }

    /// How many more connections could be accepted now.
    static func free(leaving left: Int) -> Int {
        let bound = current(leaving: left)
        // Checks each descriptor. That happens once, and only if there are few.
        return (0..<min(bound, 4096)).count { fcntl(Int32($0), F_GETFD) < 0 } + max(0, bound - 4096)
    }
}
