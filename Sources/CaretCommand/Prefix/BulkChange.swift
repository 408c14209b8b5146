import CaretClient
import CaretWire

/// Changes many documents, one request each. If the server refuses one document, the others are still
/// changed.
struct BulkChange: Sendable {
    /// What happens to each document, as a participle: `deleted`.
    let verb: String
    let context: CommandContext

    /// How many requests are sent at a time.
    private static let atOnce = 8

    private enum Outcome: Sendable {
        case done
        /// The server refused this document.
        case refused(Failure)
        /// No other document can be changed either. If `isUnknown`, the server may have made this change.
        case stopped(Failure, isUnknown: Bool)
    }

    /// The number of documents with each outcome.
    private struct Counts {
        var done = 0
        var refused = 0
        var unknown = 0
    }

    /// Calls `change` for each document, and `report` after each success. If some documents were not changed,
    /// throws a failure with the number of each outcome.
    func run<Document: Sendable>(
        _ documents: [Document], named name: @escaping @Sendable (Document) -> String,
        change: @escaping @Sendable (Document) async throws -> Void, report: (Document) -> Void
    ) async throws -> ExitCode {
        var (counts, stop) = (Counts(), Failure?.none)
        for start in stride(from: 0, to: documents.count, by: BulkChange.atOnce) {
            let batch = documents[start..<min(start + BulkChange.atOnce, documents.count)]
            try await inOrder(Array(batch), ahead: BulkChange.atOnce) { document in
                await outcome(of: name(document)) { try await change(document) }
            } receive: { document, outcome in
                switch outcome {
                case .done:
                    counts.done += 1
                    report(document)
                case .refused(let failure):
                    counts.refused += 1
                    context.warn(failure)
                case .stopped(let failure, let isUnknown):
                    if isUnknown { counts.unknown += 1 }
                    stop = stop ?? failure
                }
            }
            if stop != nil { break }
        }
        if counts.done == documents.count { return .done }
        throw failure(counts, of: documents.count, stop)
    }

    private func outcome(
        of document: String, _ change: @Sendable () async throws -> Void
    ) async -> Outcome {
        do {
            try await change()
            return .done
        } catch let refusal as ServerRefusal {
            let failure = Failure(refusal, about: document)
            return refusal.concernsOneDocument ? .refused(failure) : .stopped(failure, isUnknown: false)
        } catch {
            return .stopped(Failure(error), isUnknown: true)
        }
    }

    private func failure(_ counts: Counts, of all: Int, _ stop: Failure?) -> Failure {
        let untried = all - counts.done - counts.refused - counts.unknown
        let parts = [
            "\(counts.done) of \(all.counting("document")) \(counts.done == 1 ? "is" : "are") \(verb)",
            counts.refused > 0 ? "\(counts.refused) refused" : nil,
            counts.unknown > 0 ? "\(counts.unknown) without an answer" : nil,
            untried > 0 ? "\(untried) not changed" : nil,
        ]
        let words = parts.compactMap(\.self).joined(separator: ", ")
        return Failure(
            (stop.map { $0.message + "; " } ?? "") + words,
            advice: stop == nil
                ? "fix the problems above, and run the same command again: it continues with the rest"
                : "run the same command again: it continues with the rest",
            code: stop?.code ?? .failed)
    }
}

extension ServerRefusal {
    /// Whether a request for another document can succeed.
    fileprivate var concernsOneDocument: Bool {
        guard let code else { return false }
        return [ErrorCode.notFound, .exists, .badName, .forbidden, .damaged].contains(code)
    }
}
