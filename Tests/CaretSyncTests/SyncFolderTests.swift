import CaretSync
import CaretWire
import Foundation
import Testing

@Suite("Paths in a synced folder") struct SyncFolderTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        .path

    /// The letter U+0D4E before a slash, or the mark U+0301 after it, forms one Character with the slash.
    static let paths: [WireString] = ["link/x", "link/\u{301}x", "link\u{0D4E}/x", "real/link/\u{301}x"]

    @Test("the state of a sync is not for the repository that the folder may be in")
    func gitIgnore() throws {
        // If the folder cannot be removed, it stays in the system's temporary folder and disturbs no test.
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        _ = try SyncState(in: root, prefix: "")
        let path = root + "/.caret/.gitignore"
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "*\n")
        try "kept\n".write(toFile: path, atomically: true, encoding: .utf8)
        _ = try SyncState(in: root, prefix: "")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept\n")
    }

    @Test("no file in a linked folder is read, even with a combining mark after /", arguments: paths)
    func links(path: WireString) throws {
        let manager = FileManager.default
        // If the folder cannot be removed, it stays in the system's temporary folder and disturbs no test.
        defer { try? manager.removeItem(atPath: root) }
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        let link = root + "/synced/" + parts.dropLast().joined(separator: "/")
        let file = root + "/elsewhere/" + (parts.last ?? "")
        for folder in ["/synced/real", "/elsewhere"] {
            try manager.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
        }
        #expect(manager.createFile(atPath: file, contents: Data("secret".utf8)))
        #expect(symlink(root + "/elsewhere", link) == 0)
        let folder = SyncFolder(root: root + "/synced", limit: 100)
        #expect(folder.content(at: path) == .other(.blocked(by: parts.dropLast().joined(separator: "/"))))
        #expect(try folder.signature(path) == nil)
    }

    @Test("a file is read whole, unless it is too large or not a regular file")
    func contents() throws {
        // If the folder cannot be removed, it stays in the system's temporary folder and disturbs no test.
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root + "/folder", withIntermediateDirectories: true)
        // More bytes than one call reads.
        let text = (0..<15_000).map { "\($0)\n" }.joined()
        for (name, text) in [
            ("text", text), ("crlf", String(repeating: "\r\n", count: 100_000)),
            ("large", String(repeating: "x", count: 200_001)),
        ] { try Data(text.utf8).write(to: URL(filePath: root + "/" + name)) }
        #expect(mkfifo(root + "/pipe", 0o600) == 0)
        let folder = SyncFolder(root: root, limit: 100_000)
        #expect(folder.content(at: "text") == .text(text, usesCRLF: false))
        let lines = String(repeating: "\n", count: 100_000)
        #expect(folder.content(at: "crlf") == .text(lines, usesCRLF: true))
        #expect(folder.content(at: "large") == .other(.tooLarge(bytes: 200_001, limit: 100_000)))
        #expect(folder.content(at: "pipe") == .other(.notRegularFile))
        #expect(folder.content(at: "folder") == .folder)
        #expect(folder.content(at: "missing") == .missing)
        #expect(folder.content(at: "text/x") == .blocked(by: "text"))
    }

    @Test("a synced folder cannot be inside or around another synced folder")
    func nested() throws {
        let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        let root = temporary.appending(path: "caret-\(UUID().uuidString)").path
        // If the folder cannot be removed, it stays in the system's temporary folder and disturbs no test.
        defer { try? FileManager.default.removeItem(atPath: root) }
        let outer = root + "/outer"
        for folder in [outer + "/.caret", outer + "/in/deep", root + "/beside"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try Data().write(to: URL(filePath: outer + "/.caret/prefix"))
        for inner in [outer + "/in", outer + "/in/deep"] {
            #expect(throws: SyncFault.insideSyncedFolder(inner, outer: outer)) {
                try SyncNesting.check(inner)
            }
        }
        #expect(throws: SyncFault.containsSyncedFolder(root, inner: "outer")) { try SyncNesting.check(root) }
        for folder in [outer, root + "/beside"] { try SyncNesting.check(folder) }
    }

    @Test("the folders of a path are made, even with a combining mark after /")
    func made() throws {
        // If the folder cannot be removed, it stays in the system's temporary folder and disturbs no test.
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try SyncFolder(root: root, limit: 100).makeFolders(for: "a\u{0D4E}/\u{301}b/x")
        var isFolder: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: root + "/a\u{0D4E}/\u{301}b", isDirectory: &isFolder))
        #expect(isFolder.boolValue)
    }

    @Test("syncing a file to disk fails if the file exists but cannot be opened")
    func syncedFile() throws {
        let disk = SyncFolder(root: root, limit: 100).disk
        try disk.sync(file: root + "/gone")
        // No file system supports a name of 256 bytes.
        let path = FileManager.default.temporaryDirectory.path + "/" + String(repeating: "x", count: 256)
        #expect(throws: FileFault("open it", path, ENAMETOOLONG)) { try disk.sync(file: path) }
    }
}
