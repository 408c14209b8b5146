import CaretLog
package import CaretWire

/// Maps files to documents: a document's name is the prefix and the path.
package struct SyncNames: Equatable, Sendable {
    /// Empty, or ends with a slash.
    package let prefix: String

    /// The folder inside the synced one with everything that must survive a kill.
    package static let stateFolder = ".caret"
    /// The length in bytes of a part of a path that every file system supports.
    private static let longestPart = 255

    package init(prefix: String) {
        self.prefix = prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
    }

    /// Nil if no document can have that name.
    package func document(of path: WireString) -> WireString? {
        // A name that the protocol does not allow is reported to the user, and never sent to the server.
        (try? DocumentName(prefix + path.string)).map { _ in WireString(prefix + path.string) }
    }

    /// Nil if the name is not a safe path, or is not synced.
    package func path(of document: WireString) -> WireString? {
        guard document.utf8.starts(with: prefix.utf8) else { return nil }
        let path = WireString(String(document.utf8.dropFirst(prefix.utf8.count)) ?? "")
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isSafe = !parts.isEmpty && parts.allSatisfy { 1...SyncNames.longestPart ~= $0.count }
        return isSafe && self.document(of: path) != nil && !SyncNames.isPassedOver(path.string) ? path : nil
    }

    /// Hidden files, and files that editors create beside the ones that they write.
    static func isPassedOver(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { part in
            part.first == UInt8(ascii: ".") || part.last == UInt8(ascii: "~")
                || part.first == UInt8(ascii: "#") && part.last == UInt8(ascii: "#")
        }
    }
}
