import FoundationEssentials
import Glibc

/// Where a report is left, a page and its pictures. A new one grows beside it, and takes its place when it is whole.
struct ReportFolder {
    let path: String
    /// Where a new one grows; what an earlier run left there that was ended is thrown away.
    let draft: String

    init(_ path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        draft = self.path + ".new"
    }

    /// Why a report is not there.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func begin() throws {
        drop()
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true)
    }

    func drop() {
        // Where it cannot be removed, the next report says so.
        try? FileManager.default.removeItem(atPath: draft)
    }

    /// The names of pictures of a part that the new report has so far.
    func pictures(of part: String) throws -> [String] { try pictures(of: [part], in: draft) }

    /// The new report takes the place of the old one; what else lies there stays. All of it is on the same disk already,
    /// and the page, by which people come to the pictures, is exchanged last. Where that fails it stays where it grew.
    func exchange(page: String, parts: [String]) throws {
        try page.write(toFile: draft + "/README.md", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let (old, new) = (try pictures(of: parts, in: path), try pictures(of: parts, in: draft))
        for name in new + ["README.md"] {
            guard rename("\(draft)/\(name)", "\(path)/\(name)") == 0 else {
                let reason = String(cString: strerror(errno))
                throw Failure(
                    description: "\(path)/\(name) cannot be exchanged for that in \(draft): \(reason)")
            }
        }
        for name in old where !new.contains(name) {
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        drop()
    }

    private func pictures(of parts: [String], in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { name in
            name.hasSuffix(".svg") && parts.contains { name.hasPrefix($0 + "-") }
        }
    }
}
