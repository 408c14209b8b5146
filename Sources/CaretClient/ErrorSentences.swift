public import CaretCore
import CaretReplica
import CaretWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

// Sentences for users, which `localizedDescription` shows.

extension ConnectionFault: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unreachable(let address, let reason): "There is no connection to \(address): \(reason)."
        case .allUnreachable(let servers):
            "There is no connection to any server: "
                + servers.map { "\($0.address) (\($0.reason))" }.joined(separator: ", ") + "."
        case .lost(let address, let reason):
            "The connection to \(address) was lost: \(reason). The last request may or may not have been carried out."
        case .refused(let refusal): "The server refused the connection. \(refusal.sentence)"
        case .replaced:
            "Another program connected with this program's client id, so the server closed this connection."
        case .revoked: "The access token of this program was revoked or has ended."
        case .signedOut: "You are signed out."
        case .otherUser(let expected, let found):
            "The access token belongs to \(found ?? "another user"), but this program has worked for \(expected)."
        case .otherStore(let expected, let found):
            "The server has other documents than before: its store is \(found), but \(expected) was expected."
        case .closed: "The connection or the document was closed by this program."
        }
    }
}

extension InvalidServerAddress: LocalizedError {
    public var errorDescription: String? {
        entry.isEmpty
            ? "Address \(number) of \(count) is empty."
            : "Address \(number) of \(count) is not the address of a server: “\(entry)”."
    }
}

extension TooManyRequests: LocalizedError {
    public var errorDescription: String? {
        "There are \(limit) requests without an answer, which is the limit. Try again when some have answers."
    }
}

extension ServerRefusal: LocalizedError {
    public var errorDescription: String? { sentence }

    /// The server's own words.
    public var failureReason: String? { message }

    fileprivate var sentence: String {
        guard let code else { return "The server refused: \(message)." }
        return code.sentence ?? "The server refused: \(message)."
    }
}

extension ErrorCode {
    /// Nil if only the server's own words explain the error.
    fileprivate var sentence: String? {
        switch self {
        case .notFound: "There is no such document, or you may not read it."
        case .forbidden: "You are not allowed to do this with the document."
        case .exists: "There already is a document with this name."
        case .badName: "A document cannot have this name."
        case .unauthorized: "The server needs a valid access token."
        case .tokenEnded: "The access token has ended."
        case .unsupportedProtocol: "The server does not support the protocol version of this program."
        case .tooLarge, .lineTooLong: "The request is larger than the server allows."
        case .rateLimited: "This program sends too many requests. Try again later."
        case .overloaded: "The server is overloaded. Try again later."
        case .storageFull: "The disk of the server is full."
        case .storageFailed: "The disk of the server failed."
        case .damaged: "The document is damaged on the server."
        case .shuttingDown: "The server is shutting down. Try again later."
        case .internal: "Something went wrong in the server."
        case .baseTrimmed: "The server no longer has such an old version of the document."
        case .baseAhead: "The document does not have this revision yet."
        case .epochChanged: "The document was replaced by a new one. Read it again."
        case .baseBehind: "The document was changed meanwhile. Read it again."
        case .badText: "The text has characters that a document cannot have."
        case .badJSON, .badMessage, .unknownType, .helloRequired, .helloTimeout, .alreadyHello, .notOpen,
            .alreadyOpen, .badRange, .badEdits, .baseBeforeOwnPush, .pushInFlight, .seqReused:
            nil
        }
    }
}

extension RefusedEdits: LocalizedError {
    public var errorDescription: String? {
        "Some of your changes are not saved. \(reason?.sentence ?? refusal.sentence) The changes are still in the document."
    }
}

extension Refusal {
    package var sentence: String {
        switch self {
        case .notFound: "The document was deleted, or you may not read it any more."
        case .damaged: "The document is damaged on the server."
        case .forbidden: "You may read the document, but not change it."
        case .tooLarge, .lineTooLong: "The changes are larger than the server allows."
        case .badText: "The text has characters that a document cannot have."
        case .storageFull: "The disk of the server is full."
        case .storageFailed: "The disk of the server failed."
        case .rateLimited, .overloaded, .shuttingDown: "The server is too busy to save the changes now."
        case .internalFault, .pushInFlight, .notOpen, .alreadyOpen, .epochChanged, .baseAhead, .baseTrimmed,
            .baseBeforeOwnPush, .seqReused, .badRange, .badEdits, .other:
            "The server refused the changes."
        }
    }
}

extension UnsavedEditsFault: LocalizedError {
    public var errorDescription: String? {
        "Unsaved changes cannot be kept on this device: \(description)."
    }
}

extension TextError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .invalidUTF8(let byte): "The text is not valid UTF-8 from byte \(byte) on."
        case .carriageReturn(let byte):
            "The text has a carriage return at byte \(byte). Use line feeds as line breaks."
        case .outside(let offset, let end):
            "The offset \(offset) lies outside the text, which ends at \(end)."
        case .insideScalar(let offset): "The offset \(offset) lies inside a character."
        }
    }
}

extension ChangeError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .outOfOrder(let edit): "Edit \(edit) begins before the previous edit ends."
        case .misplaced(let edit, let error):
            "Edit \(edit) does not fit the text. \(error.errorDescription ?? "")"
        }
    }
}
