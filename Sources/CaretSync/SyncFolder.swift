package import CaretWire
import Glibc

/// The files of a synced folder.
package struct SyncFolder {
    /// Metadata that shows whether a file has changed, without reading the file.
    package struct Signature: Codable, Equatable {
        let inode: UInt
        let size: Int
        /// When the bytes changed last, in nanoseconds since 1970.
        let modified: Int
        /// When the name, the mode or the bytes changed last. Programs cannot set this time.
        let changed: Int

        init(_ status: FileStatus) {
            inode = status.inode
            size = status.size
            modified = status.modified
            changed = status.changed
        }

        /// Whether the file still has the bytes that it had when the signature `other` was read. Renaming a
        /// file changes its signature, but not its bytes.
        func hasBytes(of other: Signature) -> Bool {
            inode == other.inode && size == other.size && modified == other.modified
        }
    }

    struct Scan {
        var files: [WireString: Signature] = [:]
        /// Names that no document can have, made printable.
        var unnameable: [String] = []
        /// Folders inside this folder that another sync already syncs.
        var synced: [String] = []
        /// Files and folders that could not be read, and why.
        var unreadable: [WireString: FileFault] = [:]

        /// Whether the file may exist although the scan did not find it.
        func mayContain(_ path: WireString) -> Bool {
            if unreadable.isEmpty { return false }
            return (path.folders + [path]).contains { unreadable[$0] != nil }
        }
    }

    package let root: String
    /// The maximum size of a text in bytes.
    let limit: Int
    package let disk: any SyncDisk

    package init(root: String, limit: Int, on disk: any SyncDisk = SystemDisk()) {
        (self.root, self.limit, self.disk) = (root, limit, disk)
    }

    package func path(_ path: WireString) -> String { root + "/" + path.string }

    /// Finds all files in the folder that are synced. Calls `enter` for each folder before its names are
    /// read, so that the caller can watch the folder for later changes.
    func scan(
        ignoring ignored: IgnoreFile?, entering enter: (_ path: String, _ full: String) -> Void
    ) throws(FileFault) -> Scan {
        var found = Scan()
        try scan(folder: "", into: &found, ignored, enter)
        return found
    }

    private func scan(
        folder: String, into scan: inout Scan, _ ignored: IgnoreFile?,
        _ enter: (_ path: String, _ full: String) -> Void
    ) throws(FileFault) {
        let full = folder.isEmpty ? root : path(WireString(folder))
        enter(folder, full)
        for name in try disk.names(in: full) {
            guard let part = String(validating: name, as: UTF8.self) else {
                scan.unnameable.append(folder + "/" + String(decoding: name, as: UTF8.self))
                continue
            }
            let path = WireString(folder.isEmpty ? part : folder + "/" + part)
            if SyncNames.isIgnored(part) { continue }
            do throws(FileFault) {
                // The file may have been removed since the folder was read.
                guard let status = try disk.status(self.path(path)) else { continue }
                if ignored?.ignores(path.string, isFolder: status.kind == .folder) == true { continue }
                if status.kind != .folder {
                    scan.files[path] = Signature(status)
                } else if try isSynced(self.path(path)) {
                    scan.synced.append(path.string)
                } else {
                    try self.scan(folder: path.string, into: &scan, ignored, enter)
                }
            } catch {
                scan.unreadable[path] = error
            }
        }
    }

    /// Whether another sync already syncs a folder.
    package func isSynced(_ full: String) throws(FileFault) -> Bool {
        try disk.status(full + "/" + SyncNames.stateFolder + "/prefix") != nil
    }

    /// The signature of a file. Nil if there is no file, or if a parent folder of the path is in fact a file
    /// or a link.
    package func signature(_ path: WireString) throws(FileFault) -> Signature? {
        if try obstacle(to: path) != nil { return nil }
        guard let status = try disk.status(self.path(path)), status.kind != .folder else { return nil }
        return Signature(status)
    }

    /// A file or link at a place where a path needs a parent folder.
    struct Obstacle: Equatable {
        let path: WireString
        /// True for a file. Everything else is treated as a link. A link may lead out of the synced folder,
        /// so it is not followed.
        let isFile: Bool
    }

    /// The first obstacle on a path. Document names come from other people, and must not lead out of the
    /// folder.
    func obstacle(to path: WireString) throws(FileFault) -> Obstacle? {
        for folder in path.folders {
            guard let status = try disk.status(self.path(folder)) else { return nil }
            if status.kind != .folder { return Obstacle(path: folder, isFile: status.kind == .file) }
        }
        return nil
    }

    /// What is at a path: a text if it is a text file, otherwise the reason why there is no text.
    package func content(at path: WireString) -> ObservedFile.Content {
        do throws(FileFault) {
            if let obstacle = try obstacle(to: path) {
                return obstacle.isFile
                    ? .blocked(by: obstacle.path.string) : .other(.blocked(by: obstacle.path.string))
            }
            return content(self.path(path))
        } catch {
            return .other(.unreadable(error.reason))
        }
    }

    /// The same as `content(at:)`, for a full path.
    package func content(_ path: String) -> ObservedFile.Content {
        do throws(FileFault) {
            guard let status = try disk.status(path) else { return .missing }
            if status.kind == .folder { return .folder }
            if status.kind != .file { return .other(.notRegularFile) }
            // In a file, each line break may have two bytes (CR LF), so a file may be up to twice as large as
            // its text.
            if status.size > 2 * limit { return .other(.tooLarge(bytes: status.size, limit: limit)) }
            guard let bytes = try disk.bytes(path) else { return .missing }
            return SyncFolder.content(of: bytes, limit: limit)
        } catch {
            return .other(.unreadable(error.reason))
        }
    }

    package static func content(of bytes: [UInt8], limit: Int) -> ObservedFile.Content {
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            return .other(.binary)
        }
        let file = FileText(text)
        let count = file.text.utf8.count
        if count > limit { return .other(.tooLarge(bytes: count, limit: limit)) }
        return .text(file.text, usesCRLF: file.usesCRLF)
    }

    // MARK: Changing the folder

    /// The mode of a file, or the default mode of a new file.
    package func mode(_ path: WireString) throws(FileFault) -> UInt32 {
        try disk.status(self.path(path))?.mode ?? 0o666
    }

    package func makeFolders(for path: WireString) throws(FileFault) {
        for folder in path.folders { try disk.makeFolder(self.path(folder), mode: 0o777) }
    }

    /// Swaps a new file with the file at a path, and syncs their names to disk.
    package func exchange(_ new: String, with path: WireString) throws(FileFault) {
        try swap(new, with: path)
        try disk.sync(folderOf: self.path(path))
    }

    /// Swaps a new file with the file at a path. A program that has the old file open still writes into the
    /// old file. The caller must sync the folder of the path.
    func swap(_ new: String, with path: WireString) throws(FileFault) {
        do throws(FileFault) {
            try disk.exchange(new, with: self.path(path))
        } catch {
            if error.code != EINVAL && error.code != ENOSYS { throw error }
            try replace(path, by: new)
        }
    }

    /// Does the same as `exchange` in three steps, for file systems that cannot swap files. At every moment
    /// there is a file at `path`, and the old file has a name too.
    private func replace(_ path: WireString, by new: String) throws(FileFault) {
        let old = new + ".old"
        do throws(FileFault) {
            try disk.link(self.path(path), as: old)
        } catch {
            guard let bytes = try disk.bytes(self.path(path)) else { throw error }
            _ = try disk.make(old, bytes, mode: try mode(path))
        }
        try disk.rename(new, to: self.path(path))
        try disk.rename(old, to: new)
        // The old file has no other name, and a program may have synced what it has written into it.
        try disk.sync(folderOf: new)
    }

    /// Moves a file to a free path. Fails if the path is taken. The caller must sync the folder of the path.
    func place(_ new: String, at path: WireString) throws(FileFault) {
        try disk.renameToNew(new, self.path(path))
    }

    /// Moves a file to a free path, and syncs its name to disk. Fails if the path is taken.
    package func install(_ new: String, at path: WireString) throws(FileFault) {
        try place(new, at: path)
        try disk.sync(folderOf: self.path(path))
    }

    func move(_ path: WireString, to new: WireString) throws(FileFault) {
        try makeFolders(for: new)
        try install(self.path(path), at: new)
        removeEmptyFolders(above: path)
    }

    /// Removes the folders that became empty when a file was moved or removed.
    func removeEmptyFolders(above path: WireString) {
        for folder in path.folders.reversed() where !disk.removeFolder(self.path(folder)) { return }
    }
}
