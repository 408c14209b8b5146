/// Maps files in a folder to documents with a prefix: `DIR/today` is `notes/today` if the prefix is `notes/`.
struct DocumentFolder: Sendable {
    let folder: String
    /// Empty, or ends with `/`.
    let prefix: String

    init(_ folder: String, prefix: String) {
        self.folder = folder
        self.prefix = prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
    }

    /// The path of a document's file in the folder.
    func path(of document: String) throws(DocumentPath.Fault) -> DocumentPath {
        try DocumentPath(of: document, under: prefix)
    }

    func document(at path: String) -> String { prefix + path }
}
