import CaretCommand
import CaretCore
import Testing

@Suite("Names of documents and revisions") struct DocumentPointTests {
    @Test(
        "the revision follows the last @ of the argument",
        arguments: [
            ("notes/today", "notes/today", RevisionName.head), ("notes/today@", "notes/today", .head),
            ("notes/today@900", "notes/today", .number(900)), ("a@b@1", "a@b", .number(1)),
            ("a@b@", "a@b", .head), ("a@0", "a", .number(0)), ("a@90s", "a", .ago(seconds: 90)),
            ("a@30m", "a", .ago(seconds: 1_800)), ("a@30min", "a", .ago(seconds: 1_800)),
            ("a@2h", "a", .ago(seconds: 7_200)), ("a@3d", "a", .ago(seconds: 259_200)),
            ("a@1w", "a", .ago(seconds: 604_800)), ("a@365000d", "a", .ago(seconds: 31_536_000_000)),
            ("a@h", "a", .tag("h")), ("a@Draft-1.2_b", "a", .tag("Draft-1.2_b")),
            ("a@9007199254740991", "a", .number(9_007_199_254_740_991)),
        ])
    func points(text: String, document: String, revision: RevisionName) throws {
        #expect(try DocumentPoint(text) == DocumentPoint(document: document, revision: revision))
    }

    @Test(
        "an invalid revision after @ is an error, not a part of the name",
        arguments: [
            "a@-1", "a@2x", "a@ 1", "a@1 ", "a@99999999999999999999", "a@9007199254740992",
            "a@99999999999999w", "a@b!", "a@é", "a@2026-13-01", "a@2026-02-30", "a@2026-1-1", "a@2026-11-20T",
            "a@2026-11-20T24:00", "a@2026-11-20T10:00X", "a@2026-11-20T10:00+1", "a@２",
            "a@365001d", "a@31536000001s", "a@2023-02-29", "a@1900-02-29", "a@2026-04-31", "a@2026-00-01",
            "a@2026-11-00", "a@2026-11-20T10:60", "a@2026-11-20T10:00:60", "a@2026-11-20T10:00+24:00",
            "a@2026-11-20T10:00+01:60",
        ])
    func faults(text: String) {
        let rest = String(text.dropFirst(2))
        #expect(throws: DocumentPoint.Fault.noRevision(rest)) { try DocumentPoint(text) }
    }

    @Test("a revision without the name of a document is an error", arguments: ["", "@", "@900"])
    func noName(text: String) {
        #expect(throws: DocumentPoint.Fault.noName) { try DocumentPoint(text) }
    }

    @Test(
        "a written time converts to seconds since 1970",
        arguments: [
            ("1970-01-01T00:00Z", 0), ("1970-01-02", 86_400), ("2026-11-21T12:31:35Z", 1_795_264_295),
            ("2024-02-29T00:00:01Z", 1_709_164_801), ("2000-03-01T00:00Z", 951_868_800),
            ("2000-02-29", 951_782_400), ("1969-12-31T23:59:59Z", -1), ("1900-03-01T00:00Z", -2_203_891_200),
        ])
    func seconds(text: String, seconds: Int) throws {
        #expect(try #require(WrittenTime(text)).secondsWithoutZone == seconds)
    }

    @Test("a time can have a time zone")
    func zones() {
        #expect(WrittenTime("2026-11-20T10:00")?.zone == .local)
        #expect(WrittenTime("2026-11-20")?.zone == .local)
        #expect(WrittenTime("2026-11-20T10:00Z")?.zone == .offset(seconds: 0))
        #expect(WrittenTime("2026-11-20T10:00:07+01:30")?.zone == .offset(seconds: 5_400))
        #expect(WrittenTime("2026-11-20T10:00-08:00")?.zone == .offset(seconds: -28_800))
        #expect(WrittenTime("2026-11-20T23:59:59+23:59")?.zone == .offset(seconds: 86_340))
    }
}
