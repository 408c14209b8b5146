import CaretClient
import CaretStore
import CaretSync
import CaretWire

/// Why a subcommand did not do what it was to do: what, and what to do now.
package struct Failure: Error, Equatable {
    package let message: String
    /// In the imperative, or nil where nothing helps.
    let advice: String?
    let code: ExitCode

    init(_ message: String, advice: String? = nil, code: ExitCode = .failed) {
        self.message = message
        self.advice = advice
        self.code = code
    }

    /// What is printed on standard error: for people two lines, for programs a JSON value on one. A terminal must not
    /// obey what an error repeats.
    func text(isJSON: Bool) -> String {
        if isJSON {
            let members: KeyValuePairs<String, JSON> = [
                "error": .text(message), "advice": advice.map { .text($0) } ?? .null,
                "code": .number(Int(code.rawValue)),
            ]
            return JSON.object(members).line + "\n"
        }
        let advice = advice.map { "  \($0.harmlessLines)\n" } ?? ""
        return "caret: \(message.harmlessLines)\n\(advice)"
    }

    /// What anything that is thrown means to whoever runs the command.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let fault as UsageFault: self.init(fault.description, advice: fault.advice, code: .usage)
        case let refusal as ServerRefusal: self.init(refusal)
        case let fault as ConnectionFault: self.init(fault)
        case let fault as SyncFault: self.init(fault)
        default: self.init("\(error)")
        }
    }

    /// What the server would not do, and with what.
    init(_ refusal: ServerRefusal, about subject: String? = nil) {
        let subject = subject.map { $0.harmless + ": " } ?? ""
        self.init(subject + refusal.description.harmless, advice: refusal.advice)
    }

    /// A document that was open is there no more for this client.
    init(gone document: String) {
        self.init("\(document.harmless): it was deleted, or may not be read any more")
    }

    private init(_ fault: ConnectionFault) {
        switch fault {
        case .unreachable:
            self.init(
                fault.description,
                advice: "start caretd, or say where it is by --server, --socket or --data", code: .unreachable
            )
        case .lost:
            self.init(
                fault.description, advice: "look whether it was done, and try again", code: .unreachable)
        case .refused(let refusal): self.init(fault.description, advice: refusal.advice)
        case .otherStore, .replaced, .revoked, .closed: self.init(fault.description)
        }
    }
}

extension ServerRefusal {
    /// What to do about it; nil where the message says enough.
    fileprivate var advice: String? {
        switch code {
        case .unauthorized: "say a token by CARET_TOKEN; on the server's machine --data DIR needs none"
        case .notFound: "caret ls lists what there is and you may read"
        case .forbidden: "ask for a token with the right to it: caret token add"
        case .badName: "a name is parts with / between them, none of them empty, . or .."
        case .exists: "choose another name, or move that one away first"
        case .baseAhead: "caret log shows the revisions that there are"
        case .baseTrimmed: "its history begins later: caret log shows what is kept"
        case .epochChanged: "the document was made anew meanwhile; read it again"
        case .tooLarge: "nothing was changed; make it smaller, or raise the server's limit"
        case .rateLimited, .overloaded: "try again in a while"
        case .storageFull: "nothing was changed; make room on the server's disk"
        case .storageFailed, .internal: "look into the server's log"
        case .damaged: "caret verify says what is damaged; put a backup back"
        case .shuttingDown: "try again when the server is back"
        case .badJSON, .badMessage, .unknownType, .lineTooLong, .helloRequired, .helloTimeout,
            .unsupportedProtocol, .alreadyHello, .notOpen, .alreadyOpen, .badRange, .badText, .badEdits,
            .baseBeforeOwnPush, .pushInFlight, .seqReused, nil:
            nil
        }
    }
}
