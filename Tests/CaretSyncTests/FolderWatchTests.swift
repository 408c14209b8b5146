import CaretSync
import Foundation
import Testing

@Suite("Watching a synced folder") struct FolderWatchTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        .path

    private func write(_ path: String) throws {
        try Data("x".utf8).write(to: URL(filePath: root + "/" + path))
    }

    /// The changes that the watch reports for an action. A file that is made after the action shows that all
    /// earlier changes were reported.
    private func changes(
        _ watch: FolderWatch, _ bell: Bell, _ action: () throws -> Void
    ) async throws -> FolderWatch.Changes {
        try action()
        let last = "last-\(UUID().uuidString)"
        try write(last)
        var changes = FolderWatch.Changes()
        for _ in 0..<30 where !changes.files.contains(last) {
            await bell.wait(atMost: .seconds(1))
            let next = watch.takeChanges()
            changes.files.formUnion(next.files)
            if next.needsScan { changes.needsScan = true }
        }
        #expect(changes.files.contains(last))
        changes.files = changes.files.filter { !$0.hasPrefix("last-") }
        return changes
    }

    @Test("changed files are reported by path, and other changes request a scan")
    func reported() async throws {
        let manager = FileManager.default
        // If the folder cannot be removed, it stays in the system's temporary folder and disturbs no test.
        defer { try? manager.removeItem(atPath: root) }
        try manager.createDirectory(atPath: root + "/sub", withIntermediateDirectories: true)
        let bell = Bell()
        let watch = try FolderWatch(ring: bell)
        watch.watch("", root)
        watch.watch("sub", root + "/sub")
        #expect(watch.isComplete)
        let written = try await changes(watch, bell) { for path in ["a", "sub/b"] { try write(path) } }
        #expect(written == .init(files: ["a", "sub/b"]))
        let hidden = try await changes(watch, bell) {
            for path in [".x", "y~", "#z#", "sub/.caretignore"] { try write(path) }
        }
        #expect(hidden == .init())
        let rules = try await changes(watch, bell) { try write(".caretignore") }
        #expect(rules == .init(needsScan: true))
        let moved = try await changes(watch, bell) {
            try manager.moveItem(atPath: root + "/sub/b", toPath: root + "/c")
            try manager.removeItem(atPath: root + "/a")
        }
        #expect(moved == .init(files: ["sub/b", "c", "a"]))
        let folder = try await changes(watch, bell) { #expect(mkdir(root + "/new", 0o700) == 0) }
        #expect(folder == .init(needsScan: true))
        // The name of this file is not UTF-8.
        let path = (root + "/").utf8CString.dropLast() + [CChar(bitPattern: 0xFF), 0]
        let unnameable = try await changes(watch, bell) {
            let descriptor = open(Array(path), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            #expect(descriptor >= 0)
            close(descriptor)
        }
        #expect(unnameable == .init(needsScan: true))
    }

    @Test("a watch is incomplete if the system refuses to watch a folder")
    func incomplete() throws {
        let watch = try FolderWatch(ring: Bell())
        watch.watch("gone", root + "/gone")
        #expect(!watch.isComplete)
    }
}
