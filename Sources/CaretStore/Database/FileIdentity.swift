import CLinux

/// Distinguishes a file from another file with the same name.
struct FileIdentity: Hashable {
    private var device: UInt64 = 0
    private var node: UInt64 = 0

    /// Both numbers are 0 if there is no file.
    init(_ path: String) { caret_file_identity(path, &device, &node) }
}
