import CaretReplica
import CaretWire

/// What a caller waits for.
package enum DocumentGoal {
    /// The caller waits until the text of the document has arrived.
    case opened
    case saved

    /// Success if the goal is reached, failure if it cannot be reached any more, nil while the caller must
    /// wait.
    package func result(for document: DocumentState) -> Result<Void, any Error>? {
        switch (self, document.state) {
        case (_, .opening), (.saved, .offline), (.saved, .sending): nil
        case (.opened, .saved), (.opened, .sending), (.opened, .offline): .success(())
        // The document was opened before, so the refusal is about an edit.
        case (.opened, .refused) where document.replica.position != nil: .success(())
        case (.saved, .saved): document.replica.hasUnsaved ? nil : .success(())
        case (.opened, .refused(let refusal)):
            .failure(
                document.refusal ?? ServerRefusal(ErrorReport(refusal.code, "the document cannot be opened")))
        case (.saved, .refused(let refusal)):
            .failure(
                RefusedEdits(
                    refusal: refusal, reason: document.refusal, text: document.replica.text,
                    difference: document.replica.unsaved))
        }
    }
}

extension Refusal {
    /// The error code of a refused `open`. Most refusals cannot be an answer to `open`.
    fileprivate var code: ErrorCode {
        switch self {
        case .damaged: .damaged
        case .forbidden: .forbidden
        case .rateLimited, .overloaded, .storageFull, .storageFailed, .internalFault, .shuttingDown,
            .pushInFlight, .notOpen, .alreadyOpen, .epochChanged, .baseAhead, .baseTrimmed,
            .baseBeforeOwnPush, .seqReused, .badRange, .notFound, .badText, .badEdits, .tooLarge,
            .lineTooLong, .other:
            .notFound
        }
    }
}
