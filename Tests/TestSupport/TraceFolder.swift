package import FoundationEssentials

/// Where the recorded sessions are: beside the repository, because they are not part of it.
package enum TraceFolder {
    /// Why a test or benchmark that needs the sessions is skipped; nil if the folder exists.
    package static var reasonForAbsence: String? {
        FileManager.default.fileExists(atPath: path)
            ? nil : "no recorded sessions in ../shared/traces beside the repository"
    }

    /// The text of the session named `name`.
    package static func contents(of name: String) throws -> Data {
        let compressed = try Data(contentsOf: URL(filePath: "\(path)/\(name).json.gz"))
        return Data(try Gzip.decompressed([UInt8](compressed)))
    }

    private static var path: String {
        var folder = URL(filePath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        return folder.deletingLastPathComponent().path + "/shared/traces"
    }
}
