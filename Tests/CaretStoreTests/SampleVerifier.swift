import CaretCore
import CaretLog
import CaretStore
import TestSupport

/// Finds wrong answers of a store that was opened on a damaged copy of a sample's folder.
///
/// An answer is right if it matches the sample, or if it refuses the call because of damage. If the store has
/// reported that it is an older state, an answer may also match an older state of each document. No document
/// may be missing, because even the database without its log has all of them. The pushers must be of the same
/// state as the document: otherwise a push could be committed twice.
struct SampleVerifier {
    let sample: SampleStore
    let store: SQLiteStore
    /// Whether the store has reported that it is an older state.
    let isRenewed: Bool

    /// A wrong answer, described in words.
    private struct Wrong: Error {
        let what: String
    }

    /// Nil if no answer is wrong.
    func fault() async -> String? {
        do {
            for document in sample.documents { try await verify(document) }
            for member in sample.crowd {
                let head = try await entry(member.name, member.id, most: 1)?.head
                try await verify(member.pusher, in: member.id, head) { $0 == 1 ? 1 : nil }
            }
            return nil
        } catch let wrong as Wrong {
            return wrong.what
        } catch {
            return "\(error)"
        }
    }

    private func verify(_ document: TrackedDocument) async throws {
        let (id, name) = (document.entry.id, document.entry.name)
        let found = try await entry(name, id, most: document.head)
        if let found, (found.epoch == document.entry.epoch) == isRenewed {
            throw Wrong(what: "\(name) has the epoch \(found.epoch)")
        }
        let start: Revision = name.description == "notes/trimmed" ? 70 : 0
        try await verifyText(document, at: nil, found?.head)
        for revision in [Revision(75), Revision(document.head.value - 1)]
        where start <= revision && revision <= document.head {
            try await verifyText(document, at: revision, found?.head)
        }
        try await verifyHistory(document, from: start, found?.head)
        for pusher in [SampleLog.ann, SampleLog.bob] {
            try await verify(pusher, in: id, found?.head) { head in
                document.log.prefix(head.value).lastIndex { $0.pusher == pusher }.map { Revision($0 + 1) }
            }
        }
        try await verifyPush(document, found?.head)
    }

    /// The entry of a document; nil if the store reports damage.
    private func entry(_ name: DocumentName, _ id: DocumentID, most: Revision) async throws -> DocumentEntry?
    {
        guard let entry = try named(await store.find(name), .damaged, "find \(name)") else { return nil }
        try check(entry.head, most: most, "\(name)")
        if entry.id != id { throw Wrong(what: "\(name) has the ID \(entry.id)") }
        return entry
    }

    private func verifyText(_ document: TrackedDocument, at revision: Revision?, _ head: Revision?)
        async throws
    {
        let what = "text of \(document.entry.name) at \(revision.map { "\($0)" } ?? "the head")"
        let answer = await store.text(of: document.entry.id, at: revision)
        if let revision, let head, head < revision {
            if refusal(answer) == .ahead(head: head) { return }
        }
        guard let found = try named(answer, .refused(.damaged), what) else { return }
        if revision == nil { try check(found.revision, most: document.head, what) }
        if found.revision != revision ?? head ?? found.revision {
            throw Wrong(what: "\(what): of \(found.revision)")
        }
        if document.texts[found.revision.value] != found.text { throw Wrong(what: "\(what): another text") }
    }

    private func verifyHistory(_ document: TrackedDocument, from start: Revision, _ head: Revision?)
        async throws
    {
        let what = "history of \(document.entry.name)"
        let answer = await store.read(document.entry.id, after: start)
        guard let read = try named(answer, .refused(.damaged), what) else { return }
        try check(read.head, most: document.head, what)
        if read.segment.changes != Array(document.log[start.value..<read.head.value]) {
            throw Wrong(what: "\(what): another history")
        }
    }

    /// Checks what the store answers about a pusher. `last` returns the right answer for a head: the revision
    /// of the pusher's last push up to this head.
    private func verify(
        _ pusher: Pusher, in id: DocumentID, _ head: Revision?, last: (Revision) -> Revision?
    ) async throws {
        let what = "\(pusher.user) in \(id)"
        guard let found = try named(await store.pusher(pusher, in: id), .damaged, what) else { return }
        if found.head != head ?? found.head { throw Wrong(what: "\(what): at the head \(found.head)") }
        if found.entry?.revision != last(found.head) {
            throw Wrong(what: "\(what): a push would be committed twice: \(found)")
        }
    }

    /// Checks that the store commits a push at the head, or reports damage.
    private func verifyPush(_ document: TrackedDocument, _ head: Revision?) async throws {
        guard let entry = try? await store.find(document.entry.name).get() else { return }
        let text = document.texts[entry.head.value]
        let change = SampleChange.change([SampleChange.edit(0, 0, "new")])
        let append = Append(
            document: entry.id, epoch: entry.epoch, expected: entry.head,
            changes: [try SampleLog.pushed(change, in: text, seq: 1_000_000)])
        let outcome = await store.append(append)
        if outcome == .documentDamaged { return }
        if outcome != .committed(head: entry.head.next) {
            throw Wrong(what: "a push to \(entry.name): \(outcome)")
        }
        let after = try named(
            await store.text(of: entry.id), .refused(.damaged), "\(entry.name) after a push")
        if let after, try after.text != text.applying(change) {
            throw Wrong(what: "another text of \(entry.name) after a push")
        }
    }

    private func check(_ head: Revision, most: Revision, _ what: String) throws {
        if head != most && !(isRenewed && head < most) {
            throw Wrong(what: "\(what) is at \(head), not at \(most)")
        }
    }

    /// The answer; nil if the store reports damage.
    private func named<Answer, Refusal: Equatable>(
        _ result: Result<Answer, Refusal>, _ damage: Refusal, _ what: String
    ) throws -> Answer? {
        switch result {
        case .success(let answer): return answer
        case .failure(damage): return nil
        case .failure(let refusal): throw Wrong(what: "\(what): \(refusal)")
        }
    }
}
