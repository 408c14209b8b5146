import CaretWire
import Foundation
import Testing

/// The tests in this folder must make a running server send every error code, reason and message type.
@Suite("The words of the protocol that tests must use") struct WordListTests {
    /// Words that no test can make a running server send, each with an explanation.
    private static let unprovoked = [
        #""code":"internal""#: "the server sends it only after an internal error, and no such error is known",
        #""type":"resync",…,"reason":"epoch""#:
            "a document gets a new epoch only while no server has the store open",
        #""type":"progress""#: "the server sends it only while a verification takes longer than a second",
    ]

    /// The sources of the other tests in this folder.
    private static let sources: String = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (files?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" && $0 != URL(filePath: #filePath) }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined()
    }()

    /// Expects each word either in a test or in the list above, not in both.
    private func expectSaid(_ words: [String]) {
        for word in words {
            let isSaid =
                word.split(separator: "…").count == 1 ? Self.sources.contains(word) : isSaidInOneLine(word)
            let isExcused = Self.unprovoked[word] != nil
            #expect(
                isSaid != isExcused, "\(word): \(isSaid ? "in a test, but also in the list" : "in no test")")
        }
    }

    private func isSaidInOneLine(_ word: String) -> Bool {
        Self.sources.split(separator: "\n").contains { line in
            word.split(separator: "…").allSatisfy { line.contains($0) }
        }
    }

    @Test("every error code is received in some test") func codes() {
        expectSaid(ErrorCode.allCases.map { #""code":"\#($0.rawValue)""# })
    }

    @Test("every reason in `bye`, `gone` and `resync` is received in some test")
    func reasons() {
        expectSaid(ByeReason.allCases.map { #""type":"bye",…"reason":"\#($0.rawValue)""# })
        expectSaid(GoneReason.allCases.map { #""type":"gone",…"reason":"\#($0.rawValue)""# })
        expectSaid(ResyncReason.allCases.map { #""type":"resync",…,"reason":"\#($0.rawValue)""# })
    }

    @Test("every message of the protocol page is sent or received in some test")
    func messages() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/messages.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let types = Set(text.matches(of: /\{("type":"[a-z_]+")/).map { String($0.1) })
        #expect(types.count > 50)
        expectSaid(types.sorted())
    }
}
