import CLinux
import CaretStore
package import CaretSync
package import FoundationEssentials
import Glibc

/// A folder with dated backups. Several commands can use it at the same time.
///
/// A backup is made under a partial name, and gets a dated name once it is complete, checked and synced. Only
/// files with a dated or a partial name are ever removed.
package final class BackupFolder: Sendable {
    private let path: String
    /// The opened folder. It has a shared lock as long as this object exists.
    private let descriptor: Int32

    private static let partialStart = ".caret-backup-partial-"
    /// How many backups may be made within one second. In practice there are far fewer.
    private static let mostInOneSecond = 100

    /// Opens an existing folder. A missing folder is not created: it may be on a disk that is not mounted.
    package init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 {
            let code = errno
            throw Failure(
                "\(path): \(String(cString: strerror(code)))",
                advice: code == ENOENT ? "create the folder, or mount its disk" : nil)
        }
        if access(path, W_OK | X_OK) != 0 { throw Failure("\(path): \(String(cString: strerror(errno)))") }
        removeLeftovers()
    }

    deinit { close(descriptor) }

    /// Removes partial files that killed commands left. If another command uses the folder, removes nothing.
    private func removeLeftovers() {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            // `try?`: if the folder cannot be read, nothing is removed, and later steps report the reason.
            for name in (try? names()) ?? [] where name.utf8.starts(with: BackupFolder.partialStart.utf8) {
                // A file that cannot be removed only takes space. The next command tries again.
                unlink(path + "/" + name)
            }
        }
        // Waits only while another command removes leftovers. On NFS a lock can be impossible. Then leftovers
        // stay there.
        flock(descriptor, LOCK_SH)
    }

    /// The path for a file that is not complete yet. The name is random, so no other command uses it.
    func partialPath() -> String {
        path + "/" + BackupFolder.partialStart + String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    /// Moves a backup that a server has made into this folder, as a partial file.
    func adopt(_ backup: String, as partial: String) throws(FileFault) {
        do throws(MoveFault) {
            // `publish` syncs the folder later.
            try MovedFile.move(backup, to: partial, partial: partialPath()) { _ in }
        } catch {
            switch error {
            case .notMoved(let fault), .notSynced(let fault): throw fault
            }
        }
    }

    /// Gives a complete partial file a dated name that is still free, and syncs the folder.
    package func publish(_ partial: String, at date: Date) throws(FileFault) -> BackupName {
        for number in 1...BackupFolder.mostInOneSecond {
            let name = BackupName(at: date, number: number)
            if caret_rename_new(partial, path(of: name)) == 0 {
                try SystemFile.sync(folderOf: path(of: name))
                return name
            }
            if errno != EEXIST { break }
        }
        throw FileFault("name the backup", path)
    }

    package func path(of name: BackupName) -> String { path + "/" + name.file }

    /// Removes the oldest backups, so that `keep` of them stay. Files that are not whole are neither counted
    /// nor removed, and `skip` gets their paths. Calls `removed` after each removal.
    package func removeSurplus(
        keeping keep: Int, with new: BackupName, skip: (String) -> Void, removed: (String) -> Void
    ) throws {
        var whole: [BackupName] = []
        for name in try names().compactMap({ BackupName($0) }) {
            if isWhole(name) { whole.append(name) } else { skip(path(of: name)) }
        }
        for name in BackupName.surplus(of: whole, keeping: keep, with: new) {
            // If the file is already gone, another command has removed it.
            if unlink(path(of: name)) != 0, errno != ENOENT {
                throw FileFault("remove the old backup", path(of: name))
            }
            removed(path(of: name))
        }
    }

    /// Whether this is a regular file with all its pages. Links are not followed.
    private func isWhole(_ name: BackupName) -> Bool {
        var status = stat()
        guard lstat(path(of: name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return SQLiteStore.isWhole(backup: path(of: name))
    }

    private func names() throws(Failure) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            // The error that `FileManager` throws contains no reason, but `errno` does.
            throw Failure("\(path): cannot be read: \(String(cString: strerror(errno)))")
        }
    }
}
