import CaretWeb
import CaretWire
import Testing

@Suite("Statuses of responses") struct StatusTests {
    private static let statuses: [(Status, [ErrorCode])] = [
        (.badRequest, [.badJSON, .badMessage, .badName, .badRange, .badText, .badEdits]),
        (.unauthorized, [.unauthorized, .tokenEnded]), (.forbidden, [.forbidden]), (.notFound, [.notFound]),
        (
            .conflict,
            [
                .exists, .baseAhead, .baseTrimmed, .baseBeforeOwnPush, .pushInFlight, .seqReused,
                .epochChanged,
            ]
        ),
        (.preconditionFailed, [.baseBehind]), (.contentTooLarge, [.tooLarge, .lineTooLong]),
        (.tooManyRequests, [.rateLimited]), (.serviceUnavailable, [.overloaded, .shuttingDown]),
        (.insufficientStorage, [.storageFull]),
        (
            .internalServerError,
            [
                .internal, .damaged, .storageFailed, .helloRequired, .helloTimeout, .unsupportedProtocol,
                .alreadyHello, .notOpen, .alreadyOpen, .unknownType,
            ]
        ),
    ]

    @Test("each error code of the protocol has its status")
    func codes() {
        for (status, codes) in Self.statuses {
            for code in codes { #expect(Status(code) == status, "\(code)") }
        }
        let listed = Self.statuses.flatMap(\.1)
        #expect(listed.count == ErrorCode.allCases.count && Set(listed) == Set(ErrorCode.allCases))
    }

    @Test("each error code gets its status in a response", arguments: ErrorCode.allCases)
    func responses(code: ErrorCode) throws {
        let server = WebConversation()
        server.answers = [#"{"type":"error","code":"\#(code.rawValue)","message":"x"}"#]
        let response = try server.request("GET /docs")
        #expect(response.summary == "\(Status(code).rawValue) \(code.rawValue)")
        let isBusy = [.overloaded, .shuttingDown, .rateLimited].contains(code)
        #expect(response["Retry-After"] == (isBusy ? "1" : nil))
        let challenges: [ErrorCode: String] = [
            .unauthorized: "Bearer", .tokenEnded: #"Bearer error="invalid_token""#,
        ]
        #expect(response["WWW-Authenticate"] == challenges[code])
    }

    @Test("each status has a phrase of its own, as RFC 9110 names it")
    func phrases() {
        #expect(Set(Status.allCases.map(\.phrase)).count == Status.allCases.count)
        for status in Status.allCases {
            let words = status.phrase.split(separator: " ", omittingEmptySubsequences: false)
            #expect(words.allSatisfy { $0.first?.isUppercase == true }, "\(status)")
        }
        let samples: [(Int, String)] = [
            (101, "Switching Protocols"), (204, "No Content"), (304, "Not Modified"),
            (412, "Precondition Failed"),
            (413, "Content Too Large"), (414, "URI Too Long"), (421, "Misdirected Request"),
            (428, "Precondition Required"), (429, "Too Many Requests"),
            (431, "Request Header Fields Too Large"),
            (507, "Insufficient Storage"),
        ]
        for (number, phrase) in samples { #expect(Status(rawValue: number)?.phrase == phrase) }
    }

    @Test("three statuses have no body")
    func bodies() {
        let without = Status.allCases.filter { !$0.mayHaveBody }
        #expect(without == [.switchingProtocols, .noContent, .notModified])
    }

    @Test("the time to wait is rounded up to seconds")
    func retryAfter() throws {
        for (milliseconds, seconds) in [(0, "0"), (1, "1"), (1_000, "1"), (1_001, "2"), (59_999, "60")] {
            for code in ["rate_limited", "overloaded", "shutting_down"] {
                let server = WebConversation()
                server.answers = [
                    #"{"type":"error","code":"\#(code)","message":"x","retry_after_ms":\#(milliseconds)}"#
                ]
                let response = try server.request("GET /docs")
                #expect(response["Retry-After"] == seconds)
                #expect(response.body.contains(#""retry_after_ms":\#(milliseconds)"#))
            }
        }
    }
}
