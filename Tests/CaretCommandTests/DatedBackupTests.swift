import CaretCommand
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("`caret backup --into`", .serialized) struct DatedBackupTests {
    /// A session with one document, and an empty folder `into`.
    private func session() throws -> (session: CommandSession, into: String) {
        let session = try CommandSession()
        try session.expect("$ put a --create << one⏎\na: saved as revision 1")
        let into = session.folder.path + "/into"
        try FileManager.default.createDirectory(atPath: into, withIntermediateDirectories: true)
        return (session, into)
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// The file name of a backup from 2020.
    private static func old(_ day: Int) -> String { "caret-backup-202001\(10 + day)-031500.sqlite" }

    /// Makes a backup, and copies of it with old names.
    private func fill(_ into: String, with days: ClosedRange<Int>, on session: CommandSession) throws {
        let first = session.folder.path + "/first"
        #expect(try session.caret(["backup", first, "--data", session.data]).status == 0)
        for day in days {
            try FileManager.default.copyItem(atPath: first, toPath: "\(into)/\(DatedBackupTests.old(day))")
        }
    }

    @Test("a dated backup is sound, and the oldest backups are removed")
    func kept() throws {
        let (session, into) = try session()
        try fill(into, with: 1...3, on: session)
        try session.expect(
            """
            $ backup --into DIR/into --data DIR/data
            DIR/into/caret-backup-2…-….sqlite: sound, 1 document, … bytes
            $ backup --into DIR/into --keep 3 --data DIR/data
            DIR/into/caret-backup-2…-….sqlite: sound, 1 document, … bytes
            removed DIR/into/\(Self.old(1))
            removed DIR/into/\(Self.old(2))
            """)
        // The server has kept no copy.
        #expect(try names(in: session.data + "/backups").isEmpty)
        session.stop()
        try session.expect(
            """
            $ backup --into DIR/into --keep 3 --data DIR/data --json
            {"file":"DIR/into/caret-backup-2…-….sqlite","bytes":…,"documents":1,"removed":["DIR/into/\(Self.old(3))"]}
            """)
        let left = try names(in: into)
        #expect(left.count == 3 && left.allSatisfy { BackupName($0) != nil }, "\(left)")
        for name in left {
            let verified = try session.caret(["verify", into + "/" + name])
            #expect(verified.status == 0 && verified.output.hasPrefix("sound: 1 document"), "\(verified)")
        }
    }

    @Test("only whole backups count, and only they are removed")
    func otherFiles() throws {
        let (session, into) = try session()
        try fill(into, with: 1...3, on: session)
        let broken = into + "/" + Self.old(4)
        let bytes = try Data(contentsOf: URL(filePath: "\(into)/\(Self.old(3))"))
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: broken))
        try FileManager.default.createSymbolicLink(
            atPath: "\(into)/\(Self.old(5))", withDestinationPath: "\(into)/\(Self.old(3))")
        try FileManager.default.createDirectory(
            atPath: "\(into)/\(Self.old(6))", withIntermediateDirectories: false)
        let others = ["caret-20200101-031500-123.sqlite", "notes.txt", ".hidden", ".caret-partial-1"]
        for name in others { try Data("x".utf8).write(to: URL(filePath: into + "/" + name)) }
        // A command that was killed left this file.
        try Data("x".utf8).write(to: URL(filePath: into + "/.caret-backup-partial-1.partial-journal"))
        let run = try session.caret(["backup", "--into", into, "--keep", "2", "--data", session.data])
        #expect(run.status == 0, "\(run)")
        #expect(
            run.output.hasSuffix("removed \(into)/\(Self.old(1))\nremoved \(into)/\(Self.old(2))\n"), "\(run)"
        )
        let skipped = (4...6).map {
            "caret: \(into)/\(Self.old($0)): not a whole backup; it was neither counted nor removed"
        }
        #expect(Set(run.errors.split(separator: "\n").map(String.init)) == Set(skipped), "\(run)")
        let left = try names(in: into).filter {
            !$0.hasPrefix("caret-backup-2") || $0.hasPrefix("caret-backup-2020")
        }
        #expect(left == (others + (3...6).map(Self.old)).sorted(), "\(left)")
    }

    @Test("two backups of the same second get different names")
    func sameSecond() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/caret-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // If this fails, the folder stays in the temporary folder, which harms no test.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (one, other) = (try BackupFolder(folder), try BackupFolder(folder))
        let date = Date(timeIntervalSince1970: 1_795_410_296)
        for (backups, text) in [(one, "first"), (other, "second"), (one, "third")] {
            let partial = folder + "/.caret-backup-partial-" + text
            try Data(text.utf8).write(to: URL(filePath: partial))
            let name = try backups.publish(partial, at: date)
            #expect(try String(contentsOfFile: backups.path(of: name), encoding: .utf8) == text)
        }
        let time = "caret-backup-20261123-050456"
        #expect(try names(in: folder) == ["\(time)-2.sqlite", "\(time)-3.sqlite", "\(time).sqlite"])
    }

    @Test("while another command makes a backup, its partial file stays")
    func leftovers() throws {
        let (session, into) = try session()
        let partial = into + "/.caret-backup-partial-1"
        do {
            let other = try BackupFolder(into)
            try Data("x".utf8).write(to: URL(filePath: partial))
            let run = try session.caret(["backup", "--into", into, "--data", session.data])
            #expect(run.status == 0 && access(partial, F_OK) == 0, "\(run)")
            withExtendedLifetime(other) {}
        }
        let run = try session.caret(["backup", "--into", into, "--data", session.data])
        #expect(run.status == 0 && access(partial, F_OK) != 0, "\(run)")
        #expect(try names(in: into).count == 2)
    }

    @Test("a failed backup removes no old backup")
    func failed() throws {
        let (session, into) = try session()
        try fill(into, with: 1...3, on: session)
        let before = try names(in: into)
        try session.expect(
            """
            $ backup --into DIR/none --keep 1 --data DIR/data
            ! caret: DIR/none: No such file or directory
            !   create the folder, or mount its disk
            [1]
            $ backup --into DIR/first --keep 1 --data DIR/data
            ! caret: DIR/first: Not a directory
            [1]
            $ backup --into DIR/into --keep 1 --data DIR/nowhere
            ! caret: DIR/nowhere: not a data folder of caretd: No such file or directory
            !   pass the folder that caretd uses (its option --data)
            [1]
            """)
        try session.damage("b")
        let stopped = try session.caret(["backup", "--into", into, "--keep", "1", "--data", session.data])
        let damaged = "caret: \(session.data): the store is damaged; no backup was made\n"
        #expect(stopped.status == 4 && stopped.errors.hasPrefix(damaged), "\(stopped)")
        try session.start()
        let served = try session.caret(["backup", "--into", into, "--keep", "1", "--data", session.data])
        #expect(served.status == 1 && served.errors.contains("(damaged)"), "\(served)")
        #expect(try names(in: into) == before)
    }

    /// Runs a command as a user who is not root.
    private func asUser(_ words: [String]) throws -> Run {
        let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        return try Run("/usr/bin/env", (geteuid() == 0 ? user : []) + words, environment: [:])
    }

    @Test("a folder that cannot be written is an error before the backup begins")
    func unwritable() throws {
        let (session, into) = try session()
        session.stop()
        if geteuid() == 0 {
            for path in [session.data, into] + (try names(in: session.data).map { "\(session.data)/\($0)" }) {
                #expect(chown(path, 65_534, 65_534) == 0)
            }
        }
        #expect(chmod(into, 0o555) == 0)
        let words = [
            ChildProgram.path(of: "caret"), "backup", "--into", into, "--keep", "1", "--data", session.data,
        ]
        let run = try asUser(words)
        #expect(run.status == 1 && run.errors == "caret: \(into): Permission denied\n", "\(run)")
        #expect(chmod(into, 0o755) == 0)
        let again = try asUser(words)
        #expect(again.status == 0, "\(again)")
        #expect(try names(in: into).count == 1)
    }

    @Test(
        "on a full disk there is no new backup, and the server keeps no copy",
        .enabled(if: SmallDisk.isPossible, "this test needs the right to mount a disk"))
    func full() throws {
        let (session, into) = try session()
        let text = String(decoding: (0..<300_000).map { _ in UInt8.random(in: 0x23...0x5B) }, as: UTF8.self)
        #expect(try session.caret(["put", "large", "--create"], input: text).status == 0)
        let first = session.folder.path + "/first"
        #expect(try session.caret(["backup", first, "--data", session.data]).status == 0)
        let size = try Data(contentsOf: URL(filePath: first)).count
        let (old, kib) = (Self.old(1), size / 1_024 + 64)
        // The disk has room for one backup, and not for two.
        let script = """
            mount -t tmpfs -o size=\(kib)k none into && cp first into/\(old) || exit 9
            caret backup --into into --keep 1 --data data; code=$?; ls -A into; exit $code
            """
        for isRunning in [true, false] {
            if !isRunning { session.stop() }
            let run = try session.shell("unshare -m sh -c '\(script)'")
            #expect(run.status == 1 && run.output == old + "\n", "\(run)")
            #expect(run.errors.hasPrefix("caret: into: No space left on device\n  "), "\(run)")
            #expect(try names(in: session.data + "/backups").isEmpty)
        }
        #expect(try names(in: into).isEmpty)
    }

    @Test(
        "each wrong use of --into and --keep has its own message",
        arguments: [
            (["backup", "f", "--into", "d", "--data", "e"], "backup: FILE and --into cannot be combined"),
            (["backup", "--keep", "3", "--data", "e"], "backup: --into FOLDER is missing"),
            (["backup", "f", "--keep", "3", "--data", "e"], "backup: --into FOLDER is missing"),
            (["backup", "--into", "d"], "backup: --data DIR is missing"),
            (
                ["backup", "--into", "d", "--keep", "0", "--data", "e"],
                "backup: --keep: found \"0\", expected a whole number from 1"
            ),
        ])
    func usage(words: [String], message: String) throws {
        let run = try CommandSession(nil).caret(words)
        #expect(run.status == 2 && run.errors.hasPrefix("caret: \(message)\n"), "\(run)")
    }
}

/// A small disk in memory, which only a process with the right to mount can make.
private enum SmallDisk {
    static let isPossible: Bool = {
        // If the shell cannot be started, the test is skipped too.
        let run = try? Run(
            "/usr/bin/env", ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], environment: [:])
        return run?.status == 0
    }()
}
