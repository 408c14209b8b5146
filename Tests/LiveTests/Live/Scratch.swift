import Foundation

/// A folder that is removed when the last reference to it is gone.
final class Scratch {
    let path: String

    private init(in base: URL) throws {
        // The name is short, because the length of a socket's path is limited.
        let folder = base.appending(path: "caret-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    static func onDisk() throws -> Scratch { try Scratch(in: FileManager.default.temporaryDirectory) }

    /// A folder in memory, if the system has a file system for that. For tests that need no real disk.
    static func inMemory() throws -> Scratch {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? try Scratch(in: memory) : try onDisk()
    }

    // A file that cannot be removed stays in a folder for temporary files, and harms no test.
    deinit { try? FileManager.default.removeItem(atPath: path) }
}
