import Glibc

/// Why a call to the file system failed: its `errno`.
struct FileFault: Error {
    let code: Int32

    /// Whether the disk, or the quota of the user, is full.
    var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT }
}

/// Lets only the owner read or write a file, whatever the umask of the process is.
func restrictToOwner(_ path: String) throws(FileFault) {
    if chmod(path, 0o600) != 0 { throw FileFault(code: errno) }
}

/// Syncs a file, or a folder with the names in it, so that it survives a power cut.
func syncFile(_ path: String) throws(FileFault) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { throw FileFault(code: errno) }
    defer { close(file) }
    if fsync(file) != 0 { throw FileFault(code: errno) }
}
