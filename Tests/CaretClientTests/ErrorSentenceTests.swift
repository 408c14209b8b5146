import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Foundation
import Testing

@Suite("Errors as sentences") struct ErrorSentenceTests {
    /// One that a person can read: no name of a type or case, and a full stop.
    private func expectSentence(_ error: any Error) {
        let sentence = error.localizedDescription
        #expect(error is any LocalizedError, "\(error)")
        #expect(sentence.first?.isUppercase == true && sentence.hasSuffix("."), "\(sentence)")
        #expect(!sentence.contains("Optional") && !sentence.contains("_") && !sentence.contains(".."))
        #expect(!sentence.contains("couldn’t be completed"), "\(sentence)")
    }

    @Test("every refusal of the server is a sentence, and its own words are the reason")
    func refusals() {
        for code in ErrorCode.allCases {
            let refusal = ServerRefusal(ErrorReport(code, "the server's words"))
            expectSentence(refusal)
            #expect(refusal.failureReason == "the server's words")
            expectSentence(ConnectionFault.refused(refusal))
        }
    }

    @Test("every fault of a connection, a folder, a text or a change is a sentence")
    func faults() {
        let address = ServerAddress.tcp(host: "example.org", port: 7)
        let faults: [any Error] = [
            ConnectionFault.unreachable(address, reason: "connection refused"),
            ConnectionFault.cut(address, reason: "the server closed the connection"),
            ConnectionFault.replaced, ConnectionFault.revoked, ConnectionFault.closed,
            TextError.carriageReturn(at: 3), TextError.invalidUTF8(at: 0), TextError.insideScalar(offset: 1),
            TextError.outside(offset: 9, end: 8), ChangeError.outOfOrder(edit: 1),
            ChangeError.misplaced(edit: 0, .outside(offset: 9, end: 8)), TooManyRequests(limit: 9),
        ]
        for fault in faults { expectSentence(fault) }
        let fault = #expect(throws: KeepingFault.self) {
            try CaretClient(address, .oneShot, keepingUnsavedIn: "/nowhere/at/all")
        }
        if let fault { expectSentence(fault) }
    }

    @Test("edits that are refused are a sentence, whatever the reason")
    func refusedEdits() throws {
        let refusals: [Refusal] = [
            .notFound, .damaged, .forbidden, .tooLarge, .badText, .storageFull, .storageFailed, .overloaded,
            .other,
        ]
        for refusal in refusals {
            expectSentence(
                RefusedEdits(refusal: refusal, reason: nil, text: try Text("a"), difference: Change()))
        }
    }
}
