import CaretClient

/// The option with which a subcommand changes all documents below a prefix.
enum PrefixOption {
    static let option = Option(
        "prefix", "applies to all documents whose names begin with DOC and a slash")
}

extension Arguments {
    /// Parses an argument that is a prefix of names. The result ends with a slash.
    func prefix(_ index: Int) throws(UsageFault) -> String {
        let text = required(index)
        // An empty prefix is more often an unset variable of a script than the intent to change everything.
        if text.isEmpty {
            let name = command.arguments[index].name
            throw fault(.badValue(name, found: text, expected: "a prefix that is not empty"))
        }
        return DocumentFolder.prefix(text)
    }
}

extension LiveClient {
    /// All documents below a prefix. Throws if there are none.
    func documents(below prefix: String) async throws -> [DocumentList.Entry] {
        // The filter protects all other documents from a server that ignores the prefix.
        let entries = try await documents(under: prefix).filter { $0.name.utf8.starts(with: prefix.utf8) }
        if !entries.isEmpty { return entries }
        throw Failure(
            "there is no document below \(prefix.printable)",
            advice: "`caret ls` lists the documents that you may read")
    }
}
