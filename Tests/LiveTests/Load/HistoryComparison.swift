import CaretCore
import CaretWire
import Glibc
import Testing

/// Compares a server's history of one document with the acks of its editors.
struct HistoryComparison {
    private let editors: [Editor]
    private let client: any MessageClient
    private var decoder = MessageDecoder()
    private let document: String
    private(set) var head = 0
    private var text: [UInt8] = []
    /// The revision of each push, by its marker.
    private var revisions: [String: Int] = [:]

    private init(_ document: String, _ editors: [Editor], _ client: any MessageClient) {
        (self.document, self.editors, self.client) = (document, editors, client)
    }

    /// Expects every acked push once in the history, at its revision. No revision may be missing or repeated,
    /// and replaying all revisions must give the text. Returns the number of revisions of all documents.
    @discardableResult
    static func onAll(of group: EditorGroup, at server: LiveServer) throws -> Int {
        let client = try server.connect()
        try client.greet(as: "the-judge")
        return try Dictionary(grouping: group.editors, by: \.document).sorted { $0.key < $1.key }.reduce(0) {
            var comparison = HistoryComparison($1.key, $1.value, client)
            try comparison.verify()
            return $0 + comparison.head
        }
    }

    private mutating func verify() throws {
        var hasMore = true
        while hasMore {
            let ask =
                #"{"type":"history","doc":"\#(document)","after":\#(head),"limit":1000,"edits":true}"#
            let answer = try answer(to: ask)
            guard case .revisions(let page) = answer else {
                throw Unexpected("no history, but \(String(describing: answer))")
            }
            for revision in page.revisions { try replay(revision) }
            hasMore = page.hasMore
        }
        guard case .text(let last) = try answer(to: #"{"type":"read","doc":"\#(document)"}"#) else {
            throw Unexpected("no text of \(document)")
        }
        #expect(last.revision.value == head, "\(document)")
        #expect(Array(last.text.utf8) == text, "the text of \(document) differs from its replayed history")
        for editor in editors {
            for (seq, revision) in editor.acked {
                let found = revisions.removeValue(forKey: editor.marker(seq))
                #expect(found == revision, "push \(seq) of editor \(editor.number) was acked as \(revision)")
            }
        }
        // A push without an answer may have been saved: at most one per editor.
        #expect(revisions.count <= editors.count { !$0.hasNoPendingPush }, "\(revisions)")
    }

    /// The answer to a request. While the server says that it cannot reach its store, asks again, as it says.
    private mutating func answer(to line: String) throws -> ServerMessage? {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            try client.send(line)
            let answer = try client.next() ?? ""
            let message = try decoder.serverMessage(Array(answer.utf8))?.message
            guard case .error(let report)? = message, let pause = report.retryAfterMilliseconds, .now < end
            else {
                return message
            }
            usleep(UInt32(pause) * 1_000)
        }
    }

    private mutating func replay(_ summary: RevisionSummary) throws {
        head += 1
        let (revision, edits) = (summary.revision.value, try #require(summary.edits))
        try #require(revision == head, "\(document) has revision \(revision) after \(head - 1)")
        for edit in edits.reversed() {
            text.replaceSubrange(edit.range.start..<edit.range.end, with: edit.text.utf8)
        }
        let marker = edits.map(\.text.string).joined()
        let known = revisions.updateValue(revision, forKey: marker)
        try #require(known == nil, "\(marker) is revision \(known ?? 0) of \(document) and also \(revision)")
        let author = editors.first { marker.hasPrefix("<\($0.number).") }
        #expect(author?.publicID == summary.author.client, "\(marker)")
    }
}
