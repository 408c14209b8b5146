#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

// The methods of `SystemFiles` hide the functions of the system that have the same names, and the module with
// these functions has another name on each system. So these functions have names of their own here.

/// Only this user may read a file that the call creates.
func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(file, bytes, count)
}

func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }

func systemClose(_ file: Int32) -> Int32 { close(file) }

func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }

/// Writes a line to standard error. If it cannot be written, nobody reads it.
func systemWarn(_ sentence: String) {
    let bytes = Array((sentence + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Makes the bytes of a file, or the names in a folder, survive a power loss.
func systemSync(_ file: Int32) -> Int32 {
    #if canImport(Darwin)
        // On Apple's systems, `fsync` does not wait for the cache of the disk. Some file systems, such as
        // those of network drives, have no full sync.
        if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(file)
}
