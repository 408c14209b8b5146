import CaretCommand
import CaretSync
import Foundation
import Testing

@Suite("Moving a file on one disk and to another disk") struct MovedFileTests {
    /// A folder in memory. On most machines temporary files are in another file system.
    private static let memory = "/dev/shm"
    private static let temporary = FileManager.default.temporaryDirectory.path

    private static let hasTwoDisks: Bool = {
        let disks = [memory, temporary].map { path in
            var status = stat()
            return stat(path, &status) == 0 ? status.st_dev : nil
        }
        return disks[0] != nil && disks[1] != nil && disks[0] != disks[1] && access(memory, W_OK) == 0
    }()

    /// The targets: the same disk, and another one.
    private static let targets = hasTwoDisks ? [temporary, memory] : [temporary]

    /// A file with these bytes, and a folder to move it to.
    private func inFolders(
        _ bytes: Data, to disk: String, _ body: (_ old: String, _ folder: String) throws -> Void
    ) throws {
        let name = "/caret-\(UUID().uuidString)"
        let folders = [MovedFileTests.temporary + name, disk + name + "-target"]
        // If this fails, the files stay in temporary folders, which harms no test.
        defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        for folder in folders {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try bytes.write(to: URL(filePath: folders[0] + "/old"))
        try body(folders[0] + "/old", folders[1])
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("this machine has a second disk for these tests", .enabled(if: hasTwoDisks))
    func disks() { #expect(MovedFileTests.targets.count == 2) }

    @Test("a moved file has all its bytes, and its old name is gone", arguments: targets)
    func moved(disk: String) throws {
        // The file has more bytes than a copy reads at once. The last read returns fewer bytes than the reads
        // before it.
        let bytes = Data((0..<(3 << 20) + 7).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try inFolders(bytes, to: disk) { old, folder in
            try MovedFile.move(old, to: folder + "/new")
            #expect(try Data(contentsOf: URL(filePath: folder + "/new")) == bytes)
            #expect(try names(in: folder) == ["new"])
            #expect(!FileManager.default.fileExists(atPath: old))
        }
    }

    @Test("if a file with the new name exists, both files stay unchanged", arguments: targets)
    func exists(disk: String) throws {
        try inFolders(Data("mine".utf8), to: disk) { old, folder in
            try Data("theirs".utf8).write(to: URL(filePath: folder + "/new"))
            expectNotMoved(old, to: folder + "/new", because: EEXIST)
            #expect(try String(contentsOfFile: folder + "/new", encoding: .utf8) == "theirs")
            #expect(try names(in: folder) == ["new"])
            #expect(try String(contentsOfFile: old, encoding: .utf8) == "mine")
        }
    }

    @Test("only the owner can read a file that was moved to another disk", .enabled(if: hasTwoDisks))
    func mode() throws {
        try inFolders(Data("mine".utf8), to: MovedFileTests.memory) { old, folder in
            #expect(chmod(old, 0o644) == 0)
            try MovedFile.move(old, to: folder + "/new")
            var status = stat()
            let result = stat(folder + "/new", &status)
            #expect(result == 0 && status.st_mode & 0o777 == 0o600)
        }
    }

    @Test("the error names the file that cannot be opened", arguments: targets)
    func unreadable(disk: String) throws {
        try inFolders(Data(), to: disk) { old, folder in
            try FileManager.default.removeItem(atPath: old)
            // A link to nothing can be renamed, but not copied.
            #expect(symlink(folder + "/nothing", old) == 0)
            if disk == MovedFileTests.temporary {
                try MovedFile.move(old, to: folder + "/new")
            } else {
                expectNotMoved(old, to: folder + "/new", because: ENOENT, at: old)
                #expect(try names(in: folder).isEmpty)
            }
            expectNotMoved(folder + "/no/old", to: folder + "/new2", because: ENOENT)
            expectNotMoved(old, to: folder + "/no/new", because: ENOENT)
        }
    }

    @Test("a file is moved, but with an error, if its folder cannot be synced", arguments: targets)
    func notSynced(disk: String) throws {
        try inFolders(Data("mine".utf8), to: disk) { old, folder throws in
            let fault = FileFault("write the folder", folder, EIO)
            let moving = Result { () throws(MoveFault) in
                try MovedFile.move(old, to: folder + "/new") { _ throws(FileFault) in throw fault }
            }
            #expect(throws: MoveFault.notSynced(fault)) { try moving.get() }
            #expect(try String(contentsOfFile: folder + "/new", encoding: .utf8) == "mine")
            // The original stays, because a power loss may remove the copy.
            #expect(FileManager.default.fileExists(atPath: old) == (disk == MovedFileTests.memory))
        }
    }

    private func expectNotMoved(
        _ old: String, to new: String, because code: Int32, at path: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(MoveFault) {
            try MovedFile.move(old, to: new)
            Issue.record("the file was moved", sourceLocation: sourceLocation)
        } catch {
            guard case .notMoved(let fault) = error else {
                Issue.record(error, sourceLocation: sourceLocation)
                return
            }
            #expect(fault.code == code, sourceLocation: sourceLocation)
            #expect(fault.path == path ?? new, sourceLocation: sourceLocation)
        }
    }
}
