import Foundation

/// A folder that is there as long as somebody has it.
final class Scratch {
    let path: String

    private init(in base: URL) throws {
        // Short, since the path of a socket in it is bounded.
        let folder = base.appending(path: "caret-\(UUID().uuidString.prefix(13))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    static func onDisk() throws -> Scratch { try Scratch(in: FileManager.default.temporaryDirectory) }

    /// In memory where the system has a folder for that: for tests that would only wait for the disk.
    static func inMemory() throws -> Scratch {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? try Scratch(in: memory) : try onDisk()
    }

    // What cannot be removed lies in the system's folder for such things, and harms no test.
    deinit { try? FileManager.default.removeItem(atPath: path) }
}
