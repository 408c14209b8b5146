import CaretLog
package import CaretWire

/// Maps files to documents: the name of a document is the prefix followed by the path of the file.
package struct SyncNames: Equatable, Sendable {
    /// The prefix is empty, or ends with a slash.
    package let prefix: String

    /// The folder inside the synced folder for all data that must survive a crash.
    package static let stateFolder = ".caret"
    /// The maximum length of one part of a path, in bytes. Every file system supports this length.
    private static let longestPart = 255

    package init(prefix: String) {
        self.prefix = prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
    }

    /// The document for a path. Nil if no document can have the name.
    package func document(of path: WireString) -> WireString? {
        // A name that the protocol does not allow is reported to the user, but never sent to the server.
        (try? DocumentName(prefix + path.string)).map { _ in WireString(prefix + path.string) }
    }

    /// The path for a document. Nil if the name is not a safe path, or if the document is not synced.
    package func path(of document: WireString) -> WireString? {
        guard document.utf8.starts(with: prefix.utf8) else { return nil }
        let path = WireString(String(document.utf8.dropFirst(prefix.utf8.count)) ?? "")
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isSafe = !parts.isEmpty && parts.allSatisfy { 1...SyncNames.longestPart ~= $0.count }
        return isSafe && self.document(of: path) != nil && !SyncNames.isIgnored(path.string) ? path : nil
    }

    /// Whether a path is never synced, because it names a hidden file or a temporary file of an editor.
    static func isIgnored(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { part in
            part.first == UInt8(ascii: ".") || part.last == UInt8(ascii: "~")
                || part.first == UInt8(ascii: "#") && part.last == UInt8(ascii: "#")
        }
    }
}
