import CaretCommand
import Foundation
import Glibc
import Synchronization
import Testing

@Suite("Exported files on a disk that forgets what is not synced") struct ExportFolderTests {
    /// What a power cut would leave of a folder and everything in it: only what was synced.
    ///
    /// The bytes of a file are there after a sync of the file, and the names in a folder after one of the folder. But
    /// the system may write a name earlier.
    private final class Disk: Sendable {
        private struct State {
            var bytes: [ino_t: Data] = [:]
            var names: [ino_t: [String: ino_t]] = [:]
            /// How many calls succeed before one fails.
            var callsLeft = Int.max
        }

        let root: String
        private let state = Mutex(State())

        init(_ root: String) { self.root = root }

        func failSync(after calls: Int) { state.withLock { $0.callsLeft = calls } }

        /// Used in place of `fsync`.
        func sync(_ descriptor: Int32) -> Int32 {
            expectWholeFiles()
            return state.withLock { state in
                state.callsLeft -= 1
                if state.callsLeft == -1 {
                    errno = EIO
                    return -1
                }
                let path = "/proc/self/fd/\(descriptor)"
                guard let inode = Disk.inode(path) else { return -1 }
                if let names = try? FileManager.default.contentsOfDirectory(atPath: path) {
                    state.names[inode] = names.reduce(into: [:]) { $0[$1] = Disk.inode("\(path)/\($1)") }
                } else {
                    state.bytes[inode] = FileManager.default.contents(atPath: path)
                }
                return 0
            }
        }

        /// No file may have its name before its bytes are on disk.
        private func expectWholeFiles() {
            let names = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
            for name in names where !name.contains(".caret-partial-") {
                let path = root + "/" + name
                guard let bytes = FileManager.default.contents(atPath: path), let inode = Disk.inode(path)
                else {
                    continue
                }
                #expect(
                    state.withLock { $0.bytes[inode] } == bytes, "a power cut may leave a part of \(name)")
            }
        }

        /// The bytes of a file after a power cut; nil if it would not be there.
        func remains(of path: String) -> Data? {
            let root = Disk.inode(root)
            return state.withLock { state in
                let inode = path.split(separator: "/").reduce(root) { folder, name in
                    folder.flatMap { state.names[$0]?[String(name)] }
                }
                return inode.flatMap { state.bytes[$0] }
            }
        }

        private static func inode(_ path: String) -> ino_t? {
            var found = stat()
            return stat(path, &found) == 0 ? found.st_ino : nil
        }
    }

    private let session: CommandSession
    private let disk: Disk
    private let target: ExportFolder

    init() throws {
        session = try CommandSession(nil)
        let disk = Disk(session.folder.path + "/export")
        self.disk = disk
        target = try ExportFolder(disk.root) { disk.sync($0) }
    }

    @Test("after a power cut, an exported file is there, and never a part of it", arguments: ["a", "b/c/d"])
    func powerCut(name: String) throws {
        let path = try DocumentPath(of: name)
        for text in ["one\n", "another text\n", ""] {
            try target.write(Array(text.utf8), at: path)
            #expect(disk.remains(of: name) == Data(text.utf8))
        }
        try target.write(Array("beside\n".utf8), at: DocumentPath(of: name + "2"))
        #expect(disk.remains(of: name) == Data())
    }

    @Test("after a failed sync, the file has its old or its new text, and the next export writes it")
    func failure() throws {
        let path = try DocumentPath(of: "b/a")
        try target.write(Array("old\n".utf8), at: path)
        for calls in 0..<2 {
            disk.failSync(after: calls)
            #expect(throws: Failure.self) { try target.write(Array("new\n".utf8), at: path) }
            let text = try target.contents(at: path).map { String(decoding: $0, as: UTF8.self) }
            #expect(text == (calls == 0 ? "old\n" : "new\n"))
            disk.failSync(after: .max)
            try target.write(Array("old\n".utf8), at: path)
            #expect(disk.remains(of: "b/a") == Data("old\n".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.root + "/b") == ["a"])
        }
    }
}
