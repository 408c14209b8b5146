import CaretWire
import Testing

/// Tests each limit of the decoder with a value at the limit and a value one beyond it.
@Suite("Limits of message fields") struct LimitTests {
    /// Why the line is refused, with both numbers in the message; nil if it is accepted.
    private func code(_ line: String, naming numbers: Int...) -> ErrorCode? {
        let fault = decoded(line).fault
        for number in numbers where fault != nil {
            #expect(fault?.message.contains("\(number)") == true, "\(fault?.message ?? "")")
        }
        return fault?.code
    }

    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("an id has at most 64 bytes, counted after unescaping")
    func id() {
        #expect(code(#"{"type":"ping","id":"\#(text(64))"}"#) == nil)
        #expect(code(#"{"type":"ping","id":"\#(text(65))"}"#, naming: 65, 64) == .badMessage)
        let (fits, over) = (String(repeating: "\\u00e9", count: 32), String(repeating: "é", count: 33))
        #expect(code(#"{"type":"ping","id":"\#(fits)"}"#) == nil)
        #expect(code(#"{"type":"ping","id":"\#(over)"}"#, naming: 66, 64) == .badMessage)
        #expect(code(#"{"type":"ping","id":-9007199254740991}"#) == nil)
        #expect(code(#"{"type":"ping","id":-9007199254740992}"#) == .badJSON)
        #expect(code(#"{"type":"ping","id":1.0}"#) == .badMessage)
    }

    /// Rule T1.
    @Test("a name of more than 512 bytes is refused and not repeated in the error")
    func name() {
        #expect(code(#"{"type":"close","doc":"\#(text(512))"}"#) == nil)
        #expect(code(#"{"type":"close","doc":"\#(text(513))"}"#, naming: 513, 512) == .badName)
        #expect(decoded(#"{"type":"close","doc":"\#(text(513))"}"#).fault?.document == nil)
        #expect(code(#"{"type":"rename","doc":"a","to":"\#(text(513))"}"#, naming: 513, 512) == .badName)
        for key in ["prefix", "after"] {
            #expect(code(#"{"type":"list","\#(key)":"\#(text(512))"}"#) == nil)
            #expect(code(#"{"type":"list","\#(key)":"\#(text(513))"}"#, naming: 513, 512) == .badMessage)
        }
    }

    @Test("a passage to redact has at most 16,384 bytes")
    func passage() {
        #expect(code(#"{"type":"redact","doc":"a","passage":"\#(text(16_384))"}"#) == nil)
        #expect(
            code(#"{"type":"redact","doc":"a","passage":"\#(text(16_385))"}"#, naming: 16_385, 16_384)
                == .badMessage)
    }

    @Test("an epoch has at most 64 bytes")
    func epoch() {
        for type in ["open", "restore"] {
            let rest = #""doc":"a","rev":1,"seq":1"#
            #expect(code(#"{"type":"\#(type)","epoch":"\#(text(64))",\#(rest)}"#) == nil)
            #expect(
                code(#"{"type":"\#(type)","epoch":"\#(text(65))",\#(rest)}"#, naming: 65, 64) == .badMessage)
        }
    }

    @Test("a client's id has 8 to 64 printable ASCII characters")
    func client() {
        func hello(_ client: String) -> ErrorCode? {
            code(#"{"type":"hello","protocol":1,"client":"\#(client)"}"#)
        }
        #expect(hello(text(8)) == nil && hello(text(64)) == nil && hello("a b~\\\"!@#$") == nil)
        #expect(hello(text(7)) == .badMessage && hello(text(65)) == .badMessage)
        #expect(hello(text(8) + "\\n") == .badMessage && hello(text(8) + "\u{7F}") == .badMessage)
        #expect(hello(text(8) + "é") == .badMessage)
    }

    @Test("a page has 1 to 1,000 items")
    func page() {
        for type in [#""list""#, #""list_tokens""#, #""who""#, #""list_deleted""#, #""history","doc":"a""#] {
            #expect(code(#"{"type":\#(type),"limit":1}"#) == nil)
            #expect(code(#"{"type":\#(type),"limit":1000}"#) == nil)
            #expect(code(#"{"type":\#(type),"limit":0}"#, naming: 0, 1, 1000) == .badMessage)
            #expect(code(#"{"type":\#(type),"limit":1001}"#, naming: 1001, 1000) == .badMessage)
        }
    }

    @Test("a number is from 0 to 2^53 − 1")
    func numbers() {
        func line(_ key: String, _ value: String) -> String {
            let others = ["base", "seq"].filter { $0 != key }.map { #","\#($0)":0"# }.joined()
            return #"{"type":"push","doc":"a","text":"","\#(key)":\#(value)\#(others)}"#
        }
        for key in ["base", "seq"] {
            #expect(code(line(key, "9007199254740991")) == nil)
            #expect(code(line(key, "9007199254740992")) == .badJSON)
            #expect(code(line(key, "0")) == nil && code(line(key, "-0")) == nil)
            #expect(code(line(key, "-1"), naming: -1, 0) == .badMessage)
            #expect(code(line(key, "1.0")) == .badMessage && code(line(key, "0e0")) == .badMessage)
        }
    }

    @Test("a push has at most the announced number of edits")
    func edits() {
        func push(_ count: Int) -> String {
            let edits = Array(repeating: #"{"range":[0,0],"text":""}"#, count: count).joined(separator: ",")
            return #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[\#(edits)]}"#
        }
        let limit = Limits.Announced().edits
        #expect(code(push(limit)) == nil)
        #expect(code(push(limit + 1), naming: limit + 1, limit) == .tooLarge)
        #expect(code(push(limit + 500), naming: limit + 500, limit) == .tooLarge)
    }

    @Test("a `select` has at most the announced number of selections")
    func selections() {
        func select(_ count: Int) -> String {
            let selections = Array(repeating: "[1,1]", count: count).joined(separator: ",")
            return #"{"type":"select","doc":"a","rev":0,"selections":[\#(selections)]}"#
        }
        let limit = Limits.Announced().selections
        #expect(code(select(limit)) == nil)
        #expect(code(select(limit + 1), naming: limit + 1, limit) == .tooLarge)
    }

    @Test("a token has at most 1,000 grants")
    func grants() {
        func add(_ count: Int) -> String {
            let grants = Array(repeating: #"{"rights":"read","prefix":""}"#, count: count)
            return #"{"type":"add_token","user":"ann","grants":[\#(grants.joined(separator: ","))]}"#
        }
        #expect(code(add(0)) == nil && code(add(1_000)) == nil)
        #expect(code(add(1_001), naming: 1_001, 1_000) == .tooLarge)
    }

    @Test("the names in a token have at most 512 bytes")
    func tokenNames() {
        func add(_ user: Int, _ key: String, _ name: Int) -> String {
            let grant = #"{"rights":"read","\#(key)":"\#(text(name))"}"#
            return #"{"type":"add_token","user":"\#(text(user))","grants":[\#(grant)]}"#
        }
        for key in ["doc", "prefix"] { #expect(code(add(512, key, 512)) == nil) }
        #expect(code(add(513, "doc", 1), naming: 513, 512) == .badName)
        #expect(code(add(1, "doc", 513), naming: 513, 512) == .badName)
        #expect(code(add(1, "prefix", 513), naming: 513, 512) == .badMessage)
    }

    @Test("the names in administrative requests have at most 512 bytes")
    func administratedNames() {
        func lines(_ count: Int) -> [String] {
            [
                #"{"type":"trim","rev":1,"doc":"\#(text(count))"}"#,
                #"{"type":"verify","doc":"\#(text(count))"}"#,
                #"{"type":"list_deleted","prefix":"\#(text(count))"}"#,
            ]
        }
        for line in lines(512) { #expect(code(line) == nil) }
        #expect(lines(513).map { code($0, naming: 513, 512) } == [.badName, .badName, .badMessage])
    }

    @Test("the limits for a client's messages do not apply to a server's messages")
    func serverIsNotHeld() throws {
        let edits = Array(repeating: #"{"range":[0,0],"text":""}"#, count: 10_001).joined(separator: ",")
        let name = text(600)
        let line = #"{"type":"change","doc":"\#(name)","rev":9,"from":3,"edits":[\#(edits)]}"#
        var decoder = MessageDecoder()
        let message = try decoder.serverMessage(Array(line.utf8))
        guard case .change(let change) = message?.message else { return #expect(Bool(false), "no change") }
        #expect(change.edits.count == 10_001)
    }

    @Test("the default limits of a server are those in the protocol's rules")
    func numbersOfRules() {
        let limits = Limits()
        let announced = limits.announced
        // Rule L5 limits a line of the server, and rule P7 limits the edits on it.
        #expect(announced.serverLine == 6 * announced.document + 65_536)
        #expect(announced.serverList == 6 * announced.document + 32_768)
        // Rules O3 and O4.
        #expect(limits.waitingLines == 64)
        #expect(limits.waitingLineBytes == 1_048_576)
        #expect(limits.waitingOutput == 1_048_576)
        // Rule P5.
        #expect(limits.rebase == 10_000_000)
        // Rule C6.
        #expect(limits.checkDelayMilliseconds == 5_000)
        // Rule S4.
        #expect(limits.peerMilliseconds == 50)
        // Rule S9.
        #expect(limits.roomSelections == 20_000)
        // Rule D1.
        #expect(limits.page == 1_048_576)
    }

    @Test("each error code is unique, and closes the connection as documented")
    func errorCodes() {
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).count == 34)
        let closing = ErrorCode.allCases.filter(\.closes).map(\.rawValue).sorted()
        #expect(
            closing == [
                "hello_required", "hello_timeout", "line_too_long", "shutting_down", "token_ended",
                "unauthorized", "unsupported_protocol",
            ])
    }
}

@Suite("The `info` object of a client") struct InfoTests {
    private func hello(_ info: String) -> Result<Envelope<ClientMessage>, WireFault> {
        decoded(#"{"type":"hello","protocol":1,"client":"alice-7f21","info":\#(info)}"#)
    }

    private func info(_ json: String) -> String? {
        guard case .hello(let hello) = hello(json).value?.message else { return nil }
        return hello.info.map { String(decoding: $0.json, as: UTF8.self) }
    }

    @Test(
        "`info` is passed on unchanged",
        arguments: [
            "{}", ##"{"name":"Ann","color":"#c33"}"##, #"{ "a" : [1.50, 1e3, -0, null] , "b":"\u00e9\/" }"#,
        ])
    func verbatim(json: String) { #expect(info(json) == json) }

    @Test("line breaks in `info` become spaces")
    func lineBreaks() {
        #expect(info("{\r\n\"a\":\n[1,\t2]\n}") == "{  \"a\": [1,\t2] }")
        #expect(info(#"{"a":"\n"}"#) == #"{"a":"\n"}"#)
    }

    @Test("`info` must be an object", arguments: ["null", "1", "[]", #""Ann""#, "true"])
    func otherKinds(json: String) { #expect(hello(json).fault?.code == .badMessage) }

    @Test("`info` has at most 1,024 bytes")
    func size() {
        func json(_ bytes: Int) -> String { #"{"a":"\#(String(repeating: "x", count: bytes - 8))"}"# }
        #expect(info(json(1024))?.utf8.count == 1024)
        #expect(hello(json(1025)).fault?.code == .tooLarge)
        #expect(hello(json(1025)).fault?.message.contains("has 1025 bytes; at most 1024 are") == true)
    }

    @Test("`info` has at most 16 levels of objects and arrays")
    func nesting() {
        func json(_ levels: Int) -> String {
            #"{"[":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1)
                + "}"
        }
        #expect(info(json(16)) != nil)
        #expect(hello(json(17)).fault?.code == .tooLarge)
        #expect(hello(json(17)).fault?.message.contains("has 17 levels") == true)
        // Levels that are beside each other are not added up, only levels inside each other.
        let levels = Array(repeating: #"["b"],{"c":"d"}"#, count: 20).joined(separator: ",")
        #expect(info(#"{"a":[\#(levels)]}"#) != nil)
    }

    @Test("a client can make an `info` only from JSON that a server accepts")
    func made() {
        #expect(WireInfo(json: Array(#" {"a":1} "#.utf8))?.json == Array(#"{"a":1}"#.utf8))
        for wrong in ["", "[]", "{", #"{"a":1,"a":2}"#, "{}{}"] {
            #expect(WireInfo(json: Array(wrong.utf8)) == nil)
        }
    }

    @Test("`string` returns the value of a key of `info` if it is a string")
    func strings() throws {
        let members: [(name: WireString, value: WireString)] = [("name", "Ann"), ("color", "red")]
        let info = try #require(WireInfo(members: members))
        #expect(String(decoding: info.json, as: UTF8.self) == #"{"name":"Ann","color":"red"}"#)
        #expect(info.string("name") == "Ann" && info.string("color") == "red" && info.string("age") == nil)
        let other = try #require(WireInfo(json: Array(#"{"name":"A\u006en","color":1}"#.utf8)))
        #expect(other.string("name") == "Ann" && other.string("color") == nil)
    }
}
