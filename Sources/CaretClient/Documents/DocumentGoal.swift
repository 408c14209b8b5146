import CaretReplica
import CaretWire

/// What somebody waits for.
package enum DocumentGoal {
    /// Its text is here.
    case opened
    case saved

    /// Nil as long as neither it is so nor it is known that it will not be.
    package func answer(_ document: DocumentState) -> Result<Void, any Error>? {
        switch (self, document.state) {
        case (_, .opening), (.saved, .offline), (.saved, .sending): nil
        case (.opened, .saved), (.opened, .sending), (.opened, .offline): .success(())
        // What is refused then is an edit.
        case (.opened, .refused) where document.replica.place != nil: .success(())
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
    /// What the server would have said to an open, had it been asked: most refusals are not of an open.
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
