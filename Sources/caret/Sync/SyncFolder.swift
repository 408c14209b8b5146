import CLinux
import CaretWire
import Glibc

/// The files of a synced folder.
struct SyncFolder {
    /// What tells, without reading it, that a file is the one that was looked at before.
    struct Signature: Equatable {
        let inode: UInt
        let size: Int
        /// In nanoseconds. No program sets the time of the last change of status.
        let modified: Int
        let changed: Int
        let isPlain: Bool

        init(_ status: stat) {
            inode = status.st_ino
            size = Int(status.st_size)
            modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
            changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
            isPlain = status.st_mode & S_IFMT == S_IFREG
        }
    }

    struct Scan {
        var files: [WireString: Signature] = [:]
        /// Names that no document can have, as far as they can be shown.
        var unnameable: [String] = []
        var folders: [String] = []
        /// What could not be looked at, and why.
        var unreadable: [WireString: FileFault] = [:]

        /// Whether what is there may not have been seen.
        func hides(_ path: WireString) -> Bool {
            if unreadable.isEmpty { return false }
            var parts = path.string.split(separator: "/")
            while !parts.isEmpty {
                if unreadable[WireString(parts.joined(separator: "/"))] != nil { return true }
                parts.removeLast()
            }
            return false
        }
    }

    let root: String
    /// Bytes of a text, at most.
    let limit: Int

    func path(_ path: WireString) -> String { root + "/" + path.string }

    /// Everything that is there, but for what is passed over.
    func scan() throws(FileFault) -> Scan {
        var found = Scan()
        try scan(folder: "", into: &found)
        return found
    }

    private func scan(folder: String, into scan: inout Scan) throws(FileFault) {
        let full = folder.isEmpty ? root : path(WireString(folder))
        scan.folders.append(full)
        for name in try SystemFile.names(in: full) {
            guard let part = String(validating: name, as: UTF8.self) else {
                scan.unnameable.append(folder + "/" + String(decoding: name, as: UTF8.self))
                continue
            }
            let path = WireString(folder.isEmpty ? part : folder + "/" + part)
            if SyncNames.isPassedOver(part) { continue }
            do throws(FileFault) {
                // It may have gone since the folder was read.
                guard let status = try SystemFile.status(self.path(path)) else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    try self.scan(folder: path.string, into: &scan)
                } else {
                    scan.files[path] = Signature(status)
                }
            } catch {
                scan.unreadable[path] = error
            }
        }
    }

    /// Nil where there is no file, or none that is in this folder.
    func signature(_ path: WireString) throws(FileFault) -> Signature? {
        if try obstacle(to: path) != nil { return nil }
        return try SystemFile.status(self.path(path)).map { Signature($0) }
    }

    /// What stands in the way to a file: a file, or a link, which may lead anywhere and is not followed. Names of
    /// documents come from others, and must not lead out of the folder.
    func obstacle(to path: WireString) throws(FileFault) -> WireString? {
        var folders: [Substring] = []
        for part in path.string.split(separator: "/").dropLast() {
            folders.append(part)
            let folder = WireString(folders.joined(separator: "/"))
            guard let status = try SystemFile.status(self.path(folder)) else { return nil }
            if status.st_mode & S_IFMT != S_IFDIR { return folder }
        }
        return nil
    }

    /// The text of a file.
    func content(at path: WireString) -> FileLook.Content {
        do throws(FileFault) {
            if let obstacle = try obstacle(to: path) { return .other(.behind(obstacle.string)) }
            return content(self.path(path))
        } catch {
            return .other(.unreadable(error.reason))
        }
    }

    /// The text of a file, by its whole path.
    func content(_ path: String) -> FileLook.Content {
        do throws(FileFault) {
            guard let status = try SystemFile.status(path) else { return .missing }
            if status.st_mode & S_IFMT != S_IFREG { return .other(.noFile) }
            // Twice as much, for CR LF.
            if status.st_size > 2 * limit {
                return .other(.tooLarge(bytes: Int(status.st_size), limit: limit))
            }
            guard let bytes = try SystemFile.bytes(path) else { return .missing }
            return SyncFolder.content(of: bytes, limit: limit)
        } catch {
            return .other(.unreadable(error.reason))
        }
    }

    static func content(of bytes: [UInt8], limit: Int) -> FileLook.Content {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            return .other(.binary)
        }
        let file = FileText(text)
        let count = file.text.utf8.count
        if count > limit { return .other(.tooLarge(bytes: count, limit: limit)) }
        return .text(file.text, usesCRLF: file.usesCRLF)
    }

    // MARK: Changing it

    /// The mode of a file, or of a new one.
    func mode(_ path: WireString) throws(FileFault) -> mode_t {
        let status = try SystemFile.status(self.path(path))
        return status.map { $0.st_mode & 0o7777 } ?? 0o666
    }

    func makeFolders(for path: WireString) throws(FileFault) {
        var folder = root
        for part in path.string.split(separator: "/").dropLast() {
            folder += "/" + part
            try SystemFile.makeFolder(folder)
        }
    }

    /// Puts a file in the place of one that is there, which comes to lie where the new one was: whoever writes into the
    /// old one meanwhile, writes into that.
    func exchange(_ new: String, with path: WireString) throws(FileFault) {
        if caret_exchange(new, self.path(path)) == 0 { return }
        // Not every file system can do that; then what is written in this very moment would be lost.
        let cannot = errno == EINVAL || errno == ENOSYS
        if !cannot || rename(new, self.path(path)) != 0 {
            throw FileFault("put it in place", self.path(path))
        }
    }

    /// Puts a file where none is.
    func place(_ new: String, at path: WireString) throws(FileFault) {
        if caret_rename_new(new, self.path(path)) != 0 { throw FileFault("put it in place", self.path(path)) }
    }

    func move(_ path: WireString, to new: WireString) throws(FileFault) {
        try makeFolders(for: new)
        try place(self.path(path), at: new)
        removeEmptyFolders(above: path)
    }

    /// Folders that a file has left empty; the others stay.
    func removeEmptyFolders(above path: WireString) {
        var parts = path.string.split(separator: "/").dropLast()
        while !parts.isEmpty, rmdir(self.path(WireString(parts.joined(separator: "/")))) == 0 {
            parts.removeLast()
        }
    }
}
