import CaretCore
import CaretLog
import TestSupport
import Testing

@Suite("The store's contract: appends that do not fit") struct UnfitContractTests {
    @Test("an append that does not fit the text writes nothing", arguments: StoreKind.allCases)
    func unfit(kind: StoreKind) async throws {
        var document = try await TrackedDocument(kind)
        try await document.type("aé😀b")
        for unfit in try Unfit.all(after: document.text) {
            let append = document.append(unfit.changes)
            #expect(await document.store.append(append) == .invalidChange, "\(unfit.name)")
            // An append is also refused if only its second change does not fit.
            let first = try document.letters("x").changes
            #expect(await document.store.append(document.append(first + unfit.changes)) == .invalidChange)
            let answer = await document.store.appendLocked(append) { _ in unfit.changes }
            #expect(answer.missed.isEmpty && answer.outcome == .invalidChange, "\(unfit.name)")
        }
        let text = try await document.store.text(of: document.entry.id).get()
        #expect(text == Snapshot(revision: 4, text: document.text))
        let pusher = try await document.store.pusher(SampleLog.bob, in: document.entry.id).get()
        #expect(pusher == PusherAnswer(entry: nil, head: 4))
        try await document.type("goes on")
    }

    @Test(
        "a seq or time larger than a browser's safe integers is refused",
        arguments: StoreKind.allCases)
    func numbers(kind: StoreKind) async throws {
        let document = try await TrackedDocument(kind)
        let (most, sample) = (DocumentEntry.farthest, try document.letters("x").changes[0].logged)
        func change(seq: Int64, time: Int64) -> PushedChange {
            PushedChange(
                LoggedChange(pusher: sample.pusher, seq: seq, time: time, edits: sample.edits),
                digest: SampleLog.digest(1))
        }
        for (seq, time) in [
            (most + 1, 0), (0, most + 1), (-most - 1, 0), (0, -most - 1), (.max, 0), (0, .min),
        ] {
            let beyond = document.append([change(seq: seq, time: time)])
            #expect(await document.store.append(beyond) == .invalidChange, "seq \(seq), time \(time)")
        }
        let all = [
            change(seq: most, time: -most), change(seq: -most, time: most), change(seq: most, time: -most),
        ]
        #expect(await document.store.append(document.append(all)) == .committed(head: 3))
        let read = try await document.store.read(document.entry.id, after: 0).get()
        #expect(read.segment.changes == all.map(\.logged))
        #expect(try await document.store.text(of: document.entry.id).get().text == TextBuffer("xxx"))
    }
}

/// Changes that do not fit a text of four letters.
private struct Unfit {
    let name: String
    let changes: [PushedChange]

    static func all(after text: TextBuffer) throws -> [Unfit] {
        let longer = try TextBuffer("aé😀bcdefgh")
        func pushed(_ edits: [LoggedEdit]) -> PushedChange {
            PushedChange(
                LoggedChange(pusher: SampleLog.bob, seq: 1, time: 1, edits: edits),
                digest: SampleLog.digest(1))
        }
        func edit(_ start: TextLength, _ removed: TextLength) throws -> LoggedEdit {
            try LoggedEdit(start: start, removed: removed, text: "x")
        }
        let (one, none) = (TextLength(utf8: 1, utf16: 1, scalars: 1), TextLength.zero)
        let end = text.length
        return try [
            Unfit(
                name: "an edit beyond the end",
                changes: [SampleLog.pushed(Change([SampleChange.edit(6, 8, "x")]), in: longer, seq: 1)]),
            Unfit(name: "a removal that ends beyond the end", changes: [pushed([edit(end - one, end)])]),
            Unfit(
                name: "a start that is beyond the end only in bytes",
                changes: [pushed([edit(TextLength(utf8: 12, utf16: 5, scalars: 4), none)])]),
            Unfit(
                name: "fewer bytes than UTF-16 units",
                changes: [pushed([edit(none, TextLength(utf8: 1, utf16: 2, scalars: 1))])]),
            Unfit(
                name: "more scalars than UTF-16 units",
                changes: [pushed([edit(none, TextLength(utf8: 2, utf16: 1, scalars: 2))])]),
            Unfit(name: "edits out of order", changes: [pushed([edit(one, one), edit(none, one)])]),
            Unfit(
                name: "a second change beyond the end after the first",
                changes: [
                    PushedChange(
                        LoggedChange(
                            pusher: SampleLog.bob, seq: 1, time: 1,
                            edits: [LoggedEdit(start: none, removed: end, text: "")]),
                        digest: SampleLog.digest(1)),
                    pushed([edit(end, none)]),
                ]),
        ]
    }
}

extension TrackedDocument {
    /// An append of these changes at the head.
    fileprivate func append(_ changes: [PushedChange]) -> Append {
        Append(document: entry.id, epoch: entry.epoch, expected: head, changes: changes)
    }
}
