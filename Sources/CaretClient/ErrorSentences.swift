public import CaretCore
import CaretReplica
import CaretWire
public import FoundationEssentials

// Plain sentences for people, which `localizedDescription` shows.

extension ConnectionFault: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unreachable(let address, let reason): "There is no connection to \(address): \(reason)."
        case .cut(let address, let reason):
            "The connection to \(address) was lost: \(reason). What was asked last may have been done or not."
        case .refused(let refusal): "The server does not let this program in. \(refusal.sentence)"
        case .replaced: "Another program has connected with the id of this one, which is disconnected now."
        case .revoked: "The access token of this program was revoked."
        case .otherStore(let expected, let found):
            "The server has other documents than before: its store is \(found), and \(expected) was expected."
        case .closed: "The connection or the document was closed by this program."
        }
    }
}

extension TooManyRequests: LocalizedError {
    public var errorDescription: String? {
        "More than \(limit) requests cannot wait for an answer at once. Try again after some of them have ended."
    }
}

extension ServerRefusal: LocalizedError {
    public var errorDescription: String? { sentence }

    /// What the server said.
    public var failureReason: String? { message }

    fileprivate var sentence: String {
        guard let code else { return "The server refused: \(message)." }
        return code.sentence ?? "The server refused: \(message)."
    }
}

extension ErrorCode {
    /// Nil where only the server's own words tell what is wrong.
    fileprivate var sentence: String? {
        switch self {
        case .notFound: "There is no such document, or you may not read it."
        case .forbidden: "You may not do this with the document."
        case .exists: "There already is a document with this name."
        case .badName: "This is not a name that a document can have."
        case .unauthorized: "The server needs a valid access token."
        case .unsupportedProtocol: "The server has a version that this program does not understand."
        case .tooLarge, .lineTooLong: "It is larger than the server allows."
        case .rateLimited: "The server is asked too often. Try again later."
        case .overloaded: "The server has too much to do. Try again later."
        case .storageFull: "The disk of the server is full."
        case .storageFailed: "The disk of the server failed."
        case .damaged: "The document is damaged on the server."
        case .shuttingDown: "The server is shutting down. Try again later."
        case .internal: "Something went wrong in the server."
        case .baseTrimmed: "The server does not keep so old a version of the document any more."
        case .baseAhead: "The document does not have this revision yet."
        case .epochChanged: "The document was made anew. Read it again."
        case .badText: "The text has characters that a document cannot have."
        case .badJSON, .badMessage, .unknownType, .helloRequired, .helloTimeout, .alreadyHello, .notOpen,
            .alreadyOpen, .badRange, .badEdits, .baseBeforeOwnPush, .pushInFlight, .seqReused:
            nil
        }
    }
}

extension RefusedEdits: LocalizedError {
    public var errorDescription: String? {
        "Some of your changes are not saved. \(reason?.sentence ?? refusal.sentence) They are still in the document."
    }
}

extension Refusal {
    fileprivate var sentence: String {
        switch self {
        case .notFound: "The document was deleted, or you may not read it any more."
        case .damaged: "The document is damaged on the server."
        case .forbidden: "You may read the document and not change it."
        case .tooLarge, .lineTooLong: "They are larger than the server allows."
        case .badText: "The text has characters that a document cannot have."
        case .storageFull: "The disk of the server is full."
        case .storageFailed: "The disk of the server failed."
        case .rateLimited, .overloaded, .shuttingDown: "The server has no time for them now."
        case .internalFault, .pushInFlight, .notOpen, .alreadyOpen, .epochChanged, .baseAhead, .baseTrimmed,
            .baseBeforeOwnPush, .seqReused, .badRange, .badEdits, .other:
            "The server refused them."
        }
    }
}

extension KeepingFault: LocalizedError {
    public var errorDescription: String? {
        "Changes that are not saved cannot be kept on this device: \(description)."
    }
}

extension TextError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .invalidUTF8(let byte): "The text is not valid UTF-8 from byte \(byte) on."
        case .carriageReturn(let byte):
            "The text has a carriage return at byte \(byte); line breaks are line feeds."
        case .outside(let offset, let end):
            "The offset \(offset) lies outside the text, which ends at \(end)."
        case .insideScalar(let offset): "The offset \(offset) lies inside a character."
        }
    }
}

extension ChangeError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .outOfOrder(let edit): "Edit \(edit) begins before the edit in front of it ends."
        case .misplaced(let edit, let error):
            "Edit \(edit) has no place in the text. \(error.errorDescription ?? "")"
        }
    }
}
