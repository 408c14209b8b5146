import FoundationEssentials
import Glibc

/// The folder of a report: a page and its plots. A new report is made next to it, and replaces the old one
/// when complete.
struct ReportFolder {
    let path: String
    /// The folder where a new report is made. A new run first removes what an interrupted run left there.
    let draft: String

    init(_ path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        draft = self.path + ".new"
    }

    /// Why no new report was made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func begin() throws {
        drop()
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true)
    }

    func drop() {
        // If the folder cannot be removed, the next report fails with the reason.
        try? FileManager.default.removeItem(atPath: draft)
    }

    /// The names of a part's plots in the new report.
    func pictures(of part: String) throws -> [String] { try pictures(of: [part], in: draft) }

    /// Replaces the old report by the new one, and keeps other files in the folder. Both reports are on the
    /// same disk, so `rename` works. The page links to the plots, so it is replaced last. If a file cannot be
    /// replaced, the rest of the new report stays in the draft.
    func exchange(page: String, parts: [String]) throws {
        try page.write(toFile: draft + "/README.md", atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let (old, new) = (try pictures(of: parts, in: path), try pictures(of: parts, in: draft))
        for name in new + ["README.md"] {
            guard rename("\(draft)/\(name)", "\(path)/\(name)") == 0 else {
                let reason = String(cString: strerror(errno))
                throw Failure(
                    description: "cannot replace \(path)/\(name) with the file in \(draft): \(reason)")
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
