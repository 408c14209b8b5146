import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Foundation
import Testing

@Suite("Errors of the client as sentences for users") struct ErrorSentenceTests {
    /// Expects a sentence for users: no names of types or cases, and a full stop.
    private func expectSentence(_ error: any Error) {
        let sentence = error.localizedDescription
        #expect(error is any LocalizedError, "\(error)")
        #expect(sentence.first?.isUppercase == true && sentence.hasSuffix("."), "\(sentence)")
        #expect(!sentence.contains("Optional") && !sentence.contains("_") && !sentence.contains(".."))
        #expect(!sentence.contains("couldn’t be completed"), "\(sentence)")
    }

    @Test("every refusal has a sentence, and the server's words as its reason")
    func refusals() {
        for code in ErrorCode.allCases {
            let refusal = ServerRefusal(ErrorReport(code, "the server's words"))
            expectSentence(refusal)
            #expect(refusal.failureReason == "the server's words")
            expectSentence(ConnectionFault.refused(refusal))
        }
    }

    @Test("every error of the connection, a text or a folder has a sentence")
    func faults() {
        let address = ServerAddress.tcp(host: "example.org", port: 7)
        let faults: [any Error] = [
            ConnectionFault.unreachable(address, reason: "connection refused"),
            ConnectionFault.lost(address, reason: "the server closed the connection"),
            ConnectionFault.allUnreachable([
                UnreachableServer(address: address, reason: "connection refused"),
                UnreachableServer(address: .unix(path: "/s"), reason: "no such file or directory"),
            ]),
            InvalidServerAddress(entry: "", number: 1, count: 2),
            InvalidServerAddress(entry: "a b", number: 1, count: 1),
            ConnectionFault.replaced, ConnectionFault.revoked, ConnectionFault.closed,
            TextError.carriageReturn(at: 3), TextError.invalidUTF8(at: 0), TextError.insideScalar(offset: 1),
            TextError.outside(offset: 9, end: 8), ChangeError.outOfOrder(edit: 1),
            ChangeError.misplaced(edit: 0, .outside(offset: 9, end: 8)), TooManyRequests(limit: 9),
        ]
        for fault in faults { expectSentence(fault) }
        let fault = #expect(throws: UnsavedEditsFault.self) {
            try LiveClient(address, .oneShot, keepingUnsavedIn: "/nowhere/at/all")
        }
        if let fault { expectSentence(fault) }
    }

    @Test("refused edits have a sentence for every reason")
    func refusedEdits() throws {
        let refusals: [Refusal] = [
            .notFound, .damaged, .forbidden, .tooLarge, .badText, .storageFull, .storageFailed, .overloaded,
            .other,
        ]
        for refusal in refusals {
            expectSentence(
                RefusedEdits(refusal: refusal, reason: nil, text: try TextBuffer("a"), difference: Change()))
        }
    }
}
