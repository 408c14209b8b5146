import CaretCore
import CaretWeb
import CaretWire
import Testing

@Suite("Versions of a document in fields and queries") struct EntityTagTests {
    @Test(
        "an epoch and a revision are a version",
        arguments: [
            ("k2v9.1/7", "k2v9.1", 7), ("k/0", "k", 0), ("k/007", "k", 7), ("!~/1", "!~", 1),
            ("k/999999999999999", "k", 999_999_999_999_999),
        ])
    func valid(text: String, epoch: WireString, revision: Revision) {
        let expected = EntityTag(epoch, revision)
        #expect(EntityTag(text) == expected)
        #expect(EntityTag(quoted: Array("\"\(text)\"".utf8)) == expected)
        #expect(EntityTag(quoted: Array("\"\(text)/json\"".utf8)) == expected)
    }

    @Test(
        "a text that is not an epoch and a revision is no version",
        arguments: [
            "", "/", "k", "k/", "/7", "k/7/", "k//7", "k/-7", "k/+7", "k/7.0", "k/7 ", "k/\u{661}", "k/0x7",
            "k/1000000000000000", "k/1/2", "a b/1", "\"/1", "é/1", "k\r\n/1", "k\u{0}/1", "k\u{7F}/1",
        ])
    func invalid(text: String) {
        #expect(EntityTag(text) == nil)
        #expect(EntityTag(quoted: Array("\"\(text)\"".utf8)) == nil)
    }

    @Test("an epoch has at most 64 bytes")
    func epochLength() {
        #expect(EntityTag(String(repeating: "k", count: 64) + "/7") != nil)
        #expect(EntityTag(String(repeating: "k", count: 65) + "/7") == nil)
    }

    @Test(
        "a tag needs its quotes, and must be strong",
        arguments: ["", "\"", "\"\"", "k/7", "\"k/7", "k/7\"", "W/\"k/7\"", "\"k/7\", \"k/8\"", "*"])
    func quotes(value: String) {
        #expect(EntityTag(quoted: Array(value.utf8)) == nil)
    }

    @Test("each form of a document has a tag of its own, which can be read back")
    func forms() {
        let tag = EntityTag("k2v9.1", 7)
        #expect(tag.quoted(as: .text) == #""k2v9.1/7""# && tag.quoted(as: .json) == #""k2v9.1/7/json""#)
        for form in MediaType.allCases {
            #expect(EntityTag(quoted: Array(tag.quoted(as: form).utf8)) == tag)
        }
    }
}
