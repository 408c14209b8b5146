import CaretCommand
import Foundation
import Testing

@Suite("The names of dated backups") struct BackupNameTests {
    @Test("a name has the UTC time, and a number if others have the same time")
    func names() {
        let date = Date(timeIntervalSince1970: 1_795_410_296.9)
        #expect(BackupName(at: date).file == "caret-backup-20261123-050456.sqlite")
        #expect(BackupName(at: date, number: 2).file == "caret-backup-20261123-050456-2.sqlite")
        for number in [1, 2, 10] {
            let name = BackupName(at: date, number: number)
            #expect(BackupName(name.file) == name)
        }
    }

    @Test(
        "no other file name is a name of a dated backup",
        arguments: [
            "", "caret.sqlite", "caret-20261123-050456-123.sqlite", "caret-backup-20261123-050456",
            "caret-backup-20261123-050456.sqlite2", "caret-backup-20261123-050456-1.sqlite",
            "caret-backup-20261123-050456-02.sqlite", "caret-backup-20261123-050456--2.sqlite",
            "caret-backup-20261123-050456+2.sqlite", "caret-backup-20261123050456.sqlite",
            "caret-backup-2026112x-050456.sqlite", "caret-backup-20261123-050456-.sqlite",
            "caret-backup-20261123-050456-x.sqlite", " caret-backup-20261123-050456.sqlite",
            "caret-backup-20261123-050456.sqlite.partial", ".caret-backup-partial-1", "caret-backup-",
        ])
    func otherNames(file: String) { #expect(BackupName(file) == nil) }

    @Test("the newest backups stay, and the new one always stays")
    func surplus() throws {
        func names(_ files: [String]) throws -> [BackupName] {
            try files.map { try #require(BackupName("caret-backup-\($0).sqlite")) }
        }
        let all = try names([
            "20261123-050456-10", "20300101-000000", "20261123-050456", "20251231-235959",
            "20261123-050456-2",
        ])
        let new = all[2]
        for (keep, removed) in [
            (1, ["20251231-235959", "20261123-050456-2", "20261123-050456-10", "20300101-000000"]),
            (2, ["20251231-235959", "20261123-050456-2", "20261123-050456-10"]),
            (4, ["20251231-235959"]), (5, []), (6, []), (Int.max, []),
        ] {
            #expect(try BackupName.surplus(of: all, keeping: keep, with: new) == names(removed), "\(keep)")
        }
        // A new backup that the list lacks counts too.
        #expect(
            try BackupName.surplus(of: Array(all[3...]), keeping: 2, with: new) == names(["20251231-235959"]))
        #expect(BackupName.surplus(of: [], keeping: 1, with: new).isEmpty)
    }
}
