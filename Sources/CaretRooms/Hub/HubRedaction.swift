import CaretCore
import CaretLog
import CaretWire

/// Removing a passage from the whole history of a document. The room of the document pauses meanwhile.
extension HubState {
    mutating func begin(_ redact: Redact, _ request: HubRequest) {
        let redaction: Redaction
        do throws(Passage.Fault) {
            // Line breaks are LF in every document.
            let passage = try Passage(NormalText(redact.passage).text.string)
            redaction = Redaction(passage, isDryRun: redact.isDryRun)
        } catch {
            return refuse(request, RequestRefusal(.badMessage, "passage: \(error.problem)"))
        }
        do throws(DocumentName.Fault) {
            let name = try DocumentName(redact.document.string)
            let question = HubRequest.Question.redact(name, redaction, redact)
            lookUp(
                WaitingRequest(
                    request: HubRequest(connection: request.connection, id: request.id, question: question)))
        } catch {
            refuse(request, RequestRefusal(.badName, "the name \(error.problem)"))
        }
    }

    mutating func dryRunAnswered(_ answer: StoreAnswer, for request: HubRequest) {
        // The requester may have lost the right to administer the server during the call.
        if let refusal = adminRefusal(of: request) { return refuse(request, refusal) }
        guard case .redacted(let result) = answer else { return refuse(request, .unexpectedAnswer) }
        finish(request, result)
    }

    mutating func finish(_ request: HubRequest, _ result: RedactResult) {
        guard case .redact(_, let redaction, let redact) = request.question else {
            return refuse(request, .unexpectedAnswer)
        }
        switch result {
        case .redacted(let report):
            let redacted = Redacted(report, of: redact.document, isDryRun: redaction.isDryRun)
            answer(request, .admin(.redacted(redacted)))
        case .tooFrequent: refuse(request, .tooFrequentPassage)
        case .refused(let refusal): refuse(request, RequestRefusal(refusal))
        }
    }
}

extension RedactResult {
    /// The epoch of the document afterwards; nil if the redaction was refused.
    var epoch: Epoch? {
        switch self {
        case .redacted(let report): report.epoch
        case .tooFrequent, .refused: nil
        }
    }
}

extension Redacted {
    /// More authors and backups than this are not listed, so the answer always fits on a line.
    private static let mostItems = 100

    init(_ report: RedactionReport, of document: WireString, isDryRun: Bool) {
        let most = Redacted.mostItems
        self.init(
            document: document, epoch: report.epoch.wire, revision: report.head,
            containing: report.containing, notes: report.notes > 0 ? report.notes : nil,
            inHead: report.countAtHead, changed: report.changed,
            authors: report.authors.prefix(most).map { Redacted.Author($0) },
            backups: report.backups.prefix(most).map { WireString($0) },
            hasMore: max(report.authors.count, report.backups.count) > most, isErased: report.isErased,
            isDryRun: isDryRun)
    }
}

extension Redacted.Author {
    fileprivate init(_ author: RedactionReport.Author) {
        self.init(
            user: WireString(author.user.string), revisions: author.revisions, first: author.first,
            last: author.last, since: Int(author.firstTime), until: Int(author.lastTime))
    }
}

extension Passage.Fault {
    /// What is wrong, as the end of a sentence.
    fileprivate var problem: String {
        switch self {
        case .blank: "must contain more than line breaks"
        case .tooLong(let bytes): "has \(bytes) bytes; at most \(Passage.mostBytes) are allowed"
        case .noFill: "contains every character that could replace it; redact a part of it first"
        }
    }
}
