/// Maps files in a folder to documents with a prefix: `DIR/today` is `notes/today` if the prefix is `notes/`.
struct DocumentFolder: Sendable {
    let folder: String
    /// Empty, or ends with `/`.
    let prefix: String

    init(_ folder: String, prefix: String) {
        self.folder = folder
        self.prefix = DocumentFolder.prefix(prefix)
    }

    /// The prefix with a slash at its end, so that `notes` does not include `notes2/a`. An empty prefix stays
    /// empty.
    static func prefix(_ written: String) -> String {
        written.isEmpty || written.utf8.last == UInt8(ascii: "/") ? written : written + "/"
    }

    /// The path of a document's file in the folder.
    func path(of document: String) throws(DocumentPath.Fault) -> DocumentPath {
        try DocumentPath(of: document, under: prefix)
    }

    func document(at path: String) -> String { prefix + path }
}
