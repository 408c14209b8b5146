/// A folder whose files are the documents behind a prefix: `DIR/today` is `notes/today` where the prefix is `notes/`.
struct DocumentFolder: Sendable {
    let folder: String
    /// Empty, or with a `/` at its end.
    let prefix: String

    init(_ folder: String, prefix: String) {
        self.folder = folder
        self.prefix = prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
    }

    func path(of document: String) -> String {
        folder + "/" + String(decoding: document.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    func document(at path: String) -> String { prefix + path }
}
