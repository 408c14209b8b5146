import CaretCommand
import CaretSync
import Foundation
import Testing

@Suite("Moving a file within a disk and to another one") struct MovedFileTests {
    /// A folder in memory, which is another file system than that of temporary files on most machines.
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

    @Test("the tests have another disk to move files to", .enabled(if: hasTwoDisks))
    func disks() { #expect(MovedFileTests.targets.count == 2) }

    @Test("a moved file has only its new name, and all its bytes", arguments: targets)
    func moved(disk: String) throws {
        // More than one piece.
        let bytes = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try inFolders(bytes, to: disk) { old, folder in
            try MovedFile.move(old, to: folder + "/new")
            #expect(try Data(contentsOf: URL(filePath: folder + "/new")) == bytes)
            #expect(try names(in: folder) == ["new"])
            #expect(!FileManager.default.fileExists(atPath: old))
        }
    }

    @Test("an existing file with the new name stays, and so does the old file", arguments: targets)
    func exists(disk: String) throws {
        try inFolders(Data("mine".utf8), to: disk) { old, folder in
            try Data("theirs".utf8).write(to: URL(filePath: folder + "/new"))
            expectNotMoved(old, to: folder + "/new", because: EEXIST)
            #expect(try String(contentsOfFile: folder + "/new", encoding: .utf8) == "theirs")
            #expect(try names(in: folder) == ["new"])
            #expect(try String(contentsOfFile: old, encoding: .utf8) == "mine")
        }
    }

    @Test("a planted link at the temporary name is not followed", .enabled(if: hasTwoDisks))
    func plantedLink() throws {
        try inFolders(Data("mine".utf8), to: MovedFileTests.memory) { old, folder in
            try Data("theirs".utf8).write(to: URL(filePath: folder + "/victim"))
            #expect(symlink(folder + "/victim", folder + "/new.caret-partial") == 0)
            try MovedFile.move(old, to: folder + "/new")
            #expect(try String(contentsOfFile: folder + "/victim", encoding: .utf8) == "theirs")
            #expect(try String(contentsOfFile: folder + "/new", encoding: .utf8) == "mine")
            #expect(try names(in: folder) == ["new", "new.caret-partial", "victim"])
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

    @Test("if the new folder cannot be synced, the file is moved with an error", arguments: targets)
    func notSynced(disk: String) throws {
        try inFolders(Data("mine".utf8), to: disk) { old, folder throws in
            let fault = FileFault("write the folder", folder, EIO)
            let moving = Result { () throws(MoveFault) in
                try MovedFile.move(old, to: folder + "/new") { _ throws(FileFault) in throw fault }
            }
            #expect(throws: MoveFault.notSynced(fault)) { try moving.get() }
            #expect(try String(contentsOfFile: folder + "/new", encoding: .utf8) == "mine")
            // A copy that may not last is no reason to remove the original.
            #expect(FileManager.default.fileExists(atPath: old) == (disk == MovedFileTests.memory))
        }
    }

    private func expectNotMoved(
        _ old: String, to new: String, because code: Int32, at path: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(MoveFault) {
            try MovedFile.move(old, to: new)
            Issue.record("it was moved", sourceLocation: sourceLocation)
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
