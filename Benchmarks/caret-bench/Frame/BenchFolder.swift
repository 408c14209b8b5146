import FoundationEssentials
import Glibc

/// A folder that a benchmark makes, with folders for its stores.
struct BenchFolder {
    let path: String

    init(in parent: String) { path = parent + "/caret-bench-\(getpid())" }

    /// Makes a new folder in it.
    func makeFolder(_ name: String) -> String {
        let folder = path + "/" + name
        mustSucceed {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        return folder
    }

    func remove() {
        // If this fails, the files stay in the folder that the user chose.
        try? FileManager.default.removeItem(atPath: path)
    }
}
