/// A folder whose files are the documents behind a prefix: `DIR/today` is `notes/today` where the prefix is `notes/`.
struct DocumentFolder: Sendable {
    let folder: String
    /// Empty, or with a `/` at its end.
    let prefix: String

    init(_ folder: String, prefix: String) {
        self.folder = folder
        self.prefix = prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
    }

    /// Where the file of a document is in the folder.
    func path(of document: String) throws(DocumentPath.Fault) -> DocumentPath {
        try DocumentPath(of: document, under: prefix)
    }

    func document(at path: String) -> String { prefix + path }
}
