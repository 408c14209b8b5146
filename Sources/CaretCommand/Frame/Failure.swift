import CaretClient
import CaretStore
import CaretSync
import CaretWire

/// Why a subcommand failed, and what the user can do about it.
package struct Failure: Error, Equatable {
    package let message: String
    /// What the user can do, in the imperative; nil if there is nothing to suggest.
    let advice: String?
    let code: ExitCode

    init(_ message: String, advice: String? = nil, code: ExitCode = .failed) {
        self.message = message
        self.advice = advice
        self.code = code
    }

    /// The output on standard error: one JSON value for programs, up to two lines for users. Visible signs
    /// replace control characters.
    func text(isJSON: Bool) -> String {
        if isJSON {
            let members: KeyValuePairs<String, JSON> = [
                "error": .text(message), "advice": advice.map { .text($0) } ?? .null,
                "code": .number(Int(code.rawValue)),
            ]
            return JSON.object(members).line + "\n"
        }
        let advice = advice.map { "  \($0.printableLines)\n" } ?? ""
        return "caret: \(message.printableLines)\n\(advice)"
    }

    /// Turns any thrown error into a message for the user.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let fault as UsageFault: self.init(fault.description, advice: fault.advice, code: .usage)
        // With the label, because `init(_ error:)` would call itself.
        case let refusal as ServerRefusal: self.init(refusal, about: nil)
        case let fault as ConnectionFault: self.init(fault)
        case let fault as SyncFault: self.init(fault)
        default: self.init("\(error)")
        }
    }

    /// A refusal of the server, with its subject.
    init(_ refusal: ServerRefusal, about subject: String? = nil) {
        let subject = subject.map { $0.printable + ": " } ?? ""
        self.init(subject + refusal.description.printable, advice: refusal.advice)
    }

    /// The failure of a subcommand whose open document can no longer be read.
    init(gone document: String) {
        self.init("\(document.printable): it was deleted, or you may no longer read it")
    }

    private init(_ fault: ConnectionFault) {
        switch fault {
        case .unreachable(.tls, _):
            self.init(
                fault.description,
                advice:
                    "check that the server runs, and uses TLS at this port; to trust its certificate, add "
                    + "?trust=FILE or ?pin=SHA256 after the port",
                code: .unreachable)
        case .unreachable, .allUnreachable:
            self.init(
                fault.description,
                advice: "start caretd, or pass its address with --server, --socket or --data",
                code: .unreachable
            )
        case .lost:
            self.init(
                fault.description, advice: "check whether the command took effect, then try again",
                code: .unreachable)
        case .refused(let refusal): self.init(fault.description, advice: refusal.advice)
        case .otherStore, .replaced, .revoked, .signedOut, .otherUser, .closed: self.init(fault.description)
        }
    }
}

extension ServerRefusal {
    /// What the user can do about the refusal; nil if the message says enough.
    fileprivate var advice: String? {
        switch code {
        case .unauthorized:
            "set CARET_TOKEN to a valid token; on the server's machine --data DIR needs no token"
        case .tokenEnded: "set CARET_TOKEN to a new token; `caret token check` says when a signed token ends"
        case .notFound: "`caret ls` lists the documents that you may read"
        case .forbidden: "ask an administrator for a token with this right (`caret token add`)"
        case .badName: "a name consists of parts separated by /; no part can be empty, . or .."
        case .exists: "choose another name, or rename the existing document first"
        case .baseAhead: "`caret log` lists the revisions"
        case .baseTrimmed: "use a newer revision: `caret log` lists those that are kept"
        case .epochChanged: "the document has a new history; read it again"
        case .baseBehind: "the document was changed meanwhile; read it again"
        case .tooLarge: "nothing was changed; send less, or raise the server's limit"
        case .rateLimited, .overloaded: "try again later"
        case .storageFull: "nothing was changed; free space on the server's disk"
        case .storageFailed, .internal: "see the server's log"
        case .damaged: "`caret verify` lists the damage; restore a backup"
        case .shuttingDown: "try again when the server is back"
        case .badJSON, .badMessage, .unknownType, .lineTooLong, .helloRequired, .helloTimeout,
            .unsupportedProtocol, .alreadyHello, .notOpen, .alreadyOpen, .badRange, .badText, .badEdits,
            .baseBeforeOwnPush, .pushInFlight, .seqReused, nil:
            nil
        }
    }
}
