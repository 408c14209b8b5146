import Foundation

/// A folder that is removed when the last reference to it is gone.
final class Scratch {
    let path: String

    private init(in base: URL) throws {
        // Short, because the path of a socket in it has a limit.
        let folder = base.appending(path: "caret-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    static func onDisk() throws -> Scratch { try Scratch(in: FileManager.default.temporaryDirectory) }

    /// In memory if the system has a folder for that. For tests that need no real disk.
    static func inMemory() throws -> Scratch {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? try Scratch(in: memory) : try onDisk()
    }

    // What cannot be removed stays in a folder for temporary files, and harms no test.
    deinit { try? FileManager.default.removeItem(atPath: path) }
}
