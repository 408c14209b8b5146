import CaretSync
import CaretWire
import Foundation
import Testing

@Suite("Paths in a synced folder") struct SyncFolderTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "caret-\(UUID().uuidString)")
        .path

    /// The letter U+0D4E before a slash, or the mark U+0301 after it, forms one Character with the slash.
    static let paths: [WireString] = ["link/x", "link/\u{301}x", "link\u{0D4E}/x", "real/link/\u{301}x"]

    @Test("no file in a linked folder is read, whatever letters surround a slash", arguments: paths)
    func links(path: WireString) throws {
        let manager = FileManager.default
        // If this fails, the files stay in the system's temporary folder and disturb no test.
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
        #expect(folder.content(at: path) == .other(.behind(parts.dropLast().joined(separator: "/"))))
        #expect(try folder.signature(path) == nil)
    }

    @Test("the folders of a path are made, whatever letters surround a slash")
    func made() throws {
        // If this fails, the files stay in the system's temporary folder and disturb no test.
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try SyncFolder(root: root, limit: 100).makeFolders(for: "a\u{0D4E}/\u{301}b/x")
        var isFolder: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: root + "/a\u{0D4E}/\u{301}b", isDirectory: &isFolder))
        #expect(isFolder.boolValue)
    }

    @Test("syncing a file to disk fails if it cannot be opened, unless it is gone")
    func syncedFile() throws {
        let disk = SyncFolder(root: root, limit: 100).disk
        try disk.sync(file: root + "/gone")
        // No file system supports a name of 256 bytes.
        let path = FileManager.default.temporaryDirectory.path + "/" + String(repeating: "x", count: 256)
        #expect(throws: FileFault("open it", path, ENAMETOOLONG)) { try disk.sync(file: path) }
    }
}
