import Glibc

/// Limits how many of the process's file descriptors are used for connections.
package enum DescriptorBound {
    /// How many descriptors the process may open.
    package static var all: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// A connection's descriptor must be below this number. The rest of the process keeps `left` descriptors,
    /// or a quarter of all if that is less.
    package static func current(leaving left: Int, of all: Int = DescriptorBound.all) -> Int {
        max(all - left, all - all / 4)
    }

    /// Returns how many more connections can be accepted now.
    package static func free(leaving left: Int, of all: Int = DescriptorBound.all) -> Int {
        let bound = current(leaving: left, of: all)
        // Tests each of the first 4096 numbers with a system call. The server does this only once, when it
        // starts.
        return bound - (0..<min(bound, 4096)).count { fcntl(Int32($0), F_GETFD) >= 0 }
    }
}
