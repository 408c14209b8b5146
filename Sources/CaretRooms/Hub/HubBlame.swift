import CaretCore
import CaretLog
import CaretWire

/// A `blame` that waits for others, or is under way.
package struct BlameJob: Equatable, Sendable {
    package let request: HubRequest
    let blame: BlameRequest
    let entry: DocumentEntry
}

/// Who changed the lines of a text last.
extension HubState {
    /// The most calls about this that the store has at the same time, because it has the lines of each text in memory.
    /// Others wait, one for each connection at most.
    package static let mostBlames = 4

    var blames: Int { calls.values.count { if case .blame = $0 { true } else { false } } }

    mutating func begin(_ blame: BlameRequest, _ request: HubRequest, _ entry: DocumentEntry) {
        waitingBlames.append(BlameJob(request: request, blame: blame, entry: entry))
        beginNextBlames()
    }

    private mutating func beginNextBlames() {
        while !waitingBlames.isEmpty, blames < HubState.mostBlames {
            let job = waitingBlames.removeFirst()
            let query = BlameQuery(at: job.blame.revision, after: job.blame.after, limit: job.blame.limit)
            call(.blame(job.entry.id, query), for: .blame(job))
        }
    }

    mutating func advance(_ job: BlameJob, with answer: StoreAnswer) {
        defer { beginNextBlames() }
        if refuseUnreadable(job.request) { return }
        switch answer {
        case .blamed(.success(let page)): send(page, job)
        case .blamed(.failure(.tooManyLines)):
            let most = BlamedText.mostLines
            let message = "the text has, or had at an earlier revision, over \(most) lines"
            refuse(job.request, RequestRefusal(.tooLarge, "\(message); at most \(most) are allowed"))
        case .blamed(.failure(.history(let refusal))):
            refuse(job.request, RequestRefusal(refusal, "the requested revision", of: job.entry))
        // The store gives no other answer to this call.
        default: refuse(job.request, .unexpectedAnswer)
        }
    }

    private mutating func send(_ page: BlamePage, _ job: BlameJob) {
        let ranges = page.ranges.map { range in
            let author = range.author.map {
                WireChange.Author(
                    user: WireString($0.pusher.user.string), client: publicClient($0.pusher),
                    time: Int($0.time))
            }
            return BlamedLines(
                line: range.line, count: range.count, revision: range.revision, author: author)
        }
        let cut = AnswerPage(of: ranges, within: limits.pageBytes, \.encodedBytes)
        let blamed = Blamed(
            document: job.blame.document, epoch: page.epoch.wire, revision: page.revision, ranges: cut.items,
            hasMore: page.hasMore || cut.hasMore)
        answer(job.request, .blamed(blamed))
    }

    /// Drops and returns the requests that wait.
    mutating func abandonBlames() -> [HubRequest] {
        defer { waitingBlames = [] }
        return waitingBlames.map(\.request)
    }
}

extension BlamedLines {
    /// The encoded size of one range in an answer.
    fileprivate var encodedBytes: Int { Blamed([self]).encodedBytes - Blamed([]).encodedBytes }
}

extension Blamed {
    fileprivate init(_ ranges: [BlamedLines]) {
        self.init(document: "", epoch: "", revision: 0, ranges: ranges)
    }
}
