import CaretCommand
import Testing

@Suite("Names of documents as paths") struct DocumentPathTests {
    @Test(
        "the path of a document stays inside its folder",
        arguments: [
            ("notes/a/b", "notes/", "a/b"), ("a", "", "a"), (".a", "", ".a"), ("a", "notes/", "otherPrefix"),
            ("notes", "notes/", "otherPrefix"), ("notes/../a", "notes/", "invalidName"),
            ("../a", "", "invalidName"),
            ("/a", "", "invalidName"), ("a//b", "", "invalidName"), ("", "", "invalidName"),
            ("a\u{0}b", "", "invalidName"),
            (String(repeating: "é", count: 127) + "/x", "", String(repeating: "é", count: 127) + "/x"),
            ("x/" + String(repeating: "é", count: 128), "", "partTooLong(bytes: 256)"),
        ])
    func paths(name: String, prefix: String, expected: String) {
        let found = Result { () throws(DocumentPath.Fault) in try DocumentPath(of: name, under: prefix) }
        switch found {
        case .success(let path): #expect(path.text == expected)
        case .failure(let fault): #expect("\(fault)" == expected)
        }
    }

    @Test("`caret edit` names its file like the last part of the name, or `text`")
    func fileName() {
        for (name, file) in [("a/b.md", "b.md"), ("..", "text"), ("a/..", "text"), ("a/.caret-new", "text")] {
            #expect(LiveCopy.fileName(for: name) == file)
        }
    }
}
