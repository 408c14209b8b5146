import Glibc

/// Distinguishes a file from another file with the same name.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let node: ino_t

    /// Both numbers are 0 if there is no file.
    init(_ path: String) {
        var found = stat()
        stat(path, &found)
        (device, node) = (found.st_dev, found.st_ino)
    }
}
