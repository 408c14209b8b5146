import CaretCore
import CaretWire
import Testing

@Suite("Errors in messages from clients") struct FaultTests {
    @Test(
        "a missing or wrong field is reported with its name, value and byte",
        arguments: [
            (#"{}"#, "type is missing, at byte 0"),
            (#"{"type":1}"#, "type is 1; expected a string, at byte 8"),
            (#"{"type":"close"}"#, "close: doc is missing, at byte 0"),
            (#"{"type":"close","doc":null}"#, "close: doc is null; expected a string, at byte 22"),
            (#"{"type":"close","doc":{}}"#, "close: doc is an object; expected a string, at byte 22"),
            (#"{"type":"close","doc":[]}"#, "close: doc is an array; expected a string, at byte 22"),
            (
                #"{"type":"open","doc":"a","create":"yes"}"#,
                #"open: create is "yes"; expected true or false, at byte 34"#
            ),
            (
                #"{"type":"open","doc":"a","mode":"look"}"#,
                #"open: mode is "look"; expected "edit" or "watch", at byte 32"#
            ),
            (#"{"type":"open","doc":"a","rev":1}"#, "open: epoch is missing, but rev is given, at byte 0"),
            (
                #"{"type":"open","doc":"a","epoch":"e"}"#,
                "open: rev is missing, but epoch is given, at byte 0"
            ),
            (
                #"{"type":"push","doc":"a","base":1.0,"seq":1,"text":""}"#,
                "push: base is 1.0; expected an integer from 0 to 9007199254740991, at byte 32"
            ),
            (
                #"{"type":"push","doc":"a","base":1e3,"seq":1,"text":""}"#,
                "push: base is 1e3; expected an integer from 0 to 9007199254740991, at byte 32"
            ),
            (
                #"{"type":"push","doc":"a","base":-1,"seq":1,"text":""}"#,
                "push: base is -1; expected an integer from 0 to 9007199254740991, at byte 32"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1}"#,
                "push: edits is missing, and so is text; expected one of them, at byte 0"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"text":"","edits":[]}"#,
                "push: text is given together with edits; expected one of them, at byte 49"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"text":"","want":"edits"}"#,
                #"push: want is "edits"; expected "text", at byte 59"#
            ),
            (
                #"{"type":"add_token","user":"a","grants":[{"rights":"read"}]}"#,
                "add_token: grants[0].doc is missing, and so is prefix; expected one of them, at byte 41"
            ),
            (
                #"{"type":"add_token","user":"a","grants":[{"rights":"read","doc":"a","prefix":"b"}]}"#,
                "add_token: grants[0].prefix is given together with doc; expected one of them, at byte 77"
            ),
            (
                #"{"type":"add_token","user":"a","grants":[{"rights":"none","doc":"a"}]}"#,
                #"add_token: grants[0].rights is "none"; expected "read" or "note" or "write" or "admin", at byte 51"#
            ),
            (
                #"{"type":"add_token","user":"a","grants":[],"expires":"30d"}"#,
                #"add_token: expires is "30d"; expected an integer from 0 to 9007199254740991, at byte 53"#
            ),
            (
                #"{"type":"revoke_token","number":-1}"#,
                "revoke_token: number is -1; expected an integer from 0 to 9007199254740991, at byte 32"
            ),
            (#"{"type":"trim","doc":"a"}"#, "trim: rev is missing, at byte 0"),
            (
                #"{"type":"trim","doc":"a","rev":1,"dry_run":1}"#,
                "trim: dry_run is 1; expected true or false, at byte 43"
            ),
            (#"{"type":"verify","doc":null}"#, "verify: doc is null; expected a string, at byte 23"),
            (
                #"{"type":"undelete","number":"1"}"#,
                #"undelete: number is "1"; expected an integer from 0 to 9007199254740991, at byte 28"#
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":{}}"#,
                "push: edits is an object; expected an array, at byte 50"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[1]}"#,
                "push: edits[0] is 1; expected an object, at byte 51"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[{"text":""}]}"#,
                "push: edits[0].range is missing, at byte 51"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[{"range":[0,0]}]}"#,
                "push: edits[0].text is missing, at byte 51"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[{"range":[0,0],"text":true}]}"#,
                "push: edits[0].text is true; expected a string, at byte 73"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[{"range":[0,0],"text":""},{"range":[9,3],"text":""}]}"#,
                "push: edits[1].range ends at 3, before its start 9, at byte 86"
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[{"range":[0,"1"],"text":""}]}"#,
                #"push: edits[0].range[1] is "1"; expected an integer from 0 to 9007199254740991, at byte 63"#
            ),
            (
                #"{"type":"push","doc":"a","base":0,"seq":1,"edits":[{"range":[0,1,2],"text":""}]}"#,
                "push: edits[0].range has 3 elements; expected 2, at byte 60"
            ),
            (
                #"{"type":"select","doc":"a","rev":1,"selections":[[1]]}"#,
                "select: selections[0] has 1 elements; expected 2, at byte 49"
            ),
            (
                #"{"type":"read","doc":"a","rev":1,"at":2}"#,
                "read: at is given together with rev; expected one of them, at byte 38"
            ),
            (
                #"{"type":"list","limit":1001}"#,
                "list: limit is 1001; expected an integer from 1 to 1000, at byte 23"
            ),
            (
                #"{"type":"hello","protocol":1,"client":"short"}"#,
                "hello: client has 5 bytes; expected 8 to 64 printable ASCII characters, at byte 38"
            ),
            (
                #"{"type":"ping","id":true}"#,
                "ping: id is true; expected a string or an integer, at byte 20"
            ),
            (#"{"type":"hello"}"#, "hello: protocol is missing, at byte 0"),
        ])
    func messages(line: String, message: String) {
        let fault = decoded(line).fault
        #expect(fault?.code == .badMessage)
        #expect(fault?.message == message)
        #expect(message.hasSuffix(" at byte \(fault?.byte ?? -1)"))
    }

    /// Rule L7.
    @Test("a fault has the id, document and seq of its message if they are valid")
    func whatCanBeRead() {
        let push = decoded(#"{"seq":7,"doc":"a","id":"two","type":"push","base":0}"#).fault
        #expect(push?.id == .text("two") && push?.document == "a" && push?.seq == 7)
        let unknown = decoded(#"{"type":"pusch","id":2,"doc":"a","seq":7}"#).fault
        #expect(unknown?.code == .unknownType && unknown?.message == #"there is no message type "pusch""#)
        #expect(unknown?.id == .number(2) && unknown?.document == "a" && unknown?.seq == 7)
        #expect(unknown?.byte == 8)
        let wrong = decoded(#"{"type":"push","id":{},"doc":3,"seq":-1}"#).fault
        #expect(wrong?.code == .badMessage && wrong?.id == nil && wrong?.document == nil && wrong?.seq == nil)
        let untyped = decoded(#"{"id":2}"#).fault
        #expect(untyped?.code == .badMessage && untyped?.id == .number(2))
        let broken = decoded(#"{"type":"push","id":2,"doc":"a","seq":7"#).fault
        #expect(
            broken?.code == .badJSON && broken?.id == nil && broken?.document == nil && broken?.seq == nil)
    }

    @Test("the `error` message for a fault has its code, message and fields")
    func report() throws {
        let fault = try #require(decoded(#"{"type":"push","id":2,"doc":"a","seq":7}"#).fault)
        var writer = JSONWriter()
        fault.report.encode(id: fault.id, into: &writer)
        let text =
            #"{"type":"error","id":2,"doc":"a","seq":7,"code":"bad_message","message":"push: base is missing, at byte 0"}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text + "\n")
    }

    @Test("a fault repeats at most 64 whole characters of the line")
    func echo() {
        let long = String(repeating: "é", count: 100)
        let shown = String(repeating: "é", count: 64) + "…"
        #expect(decoded(#"{"type":"\#(long)"}"#).fault?.message == #"there is no message type "\#(shown)""#)
        let word = decoded(#"{"type":"open","doc":"a","mode":"\#(long)"}"#).fault?.message
        #expect(word == #"open: mode is "\#(shown)"; expected "edit" or "watch", at byte 32"#)
        let exact = String(repeating: "é", count: 64)
        #expect(decoded(#"{"type":"\#(exact)"}"#).fault?.message == #"there is no message type "\#(exact)""#)
        let digits = String(repeating: "0", count: 100)
        let number = decoded(#"{"type":"read","doc":"a","rev":1.\#(digits)}"#).fault?.message ?? ""
        #expect(number.contains("1." + digits.prefix(62) + "…;"))
    }

    @Test("the error for a too long line names its length and the limit")
    func lineTooLong() {
        let fault = WireFault.lineTooLong(bytes: 8193, limit: 8192)
        #expect(fault.code.closes && fault.message.contains("8193") && fault.message.contains("8192"))
        #expect(fault.report == ErrorReport(.lineTooLong, fault.message))
    }

    @Test("another protocol version is refused, whatever fields `hello` has")
    func otherVersion() {
        for version in ["0", "2", "-1", "9007199254740991"] {
            let fault = decoded(#"{"type":"hello","protocol":\#(version),"id":3,"client":{}}"#).fault
            #expect(fault?.code == .unsupportedProtocol && fault?.id == .number(3))
            #expect(fault?.message.contains("is \(version); this server speaks version 1") == true)
        }
        #expect(decoded(#"{"type":"hello","protocol":"1"}"#).fault?.code == .badMessage)
    }

    /// Rule H2.
    @Test("an error never repeats the client's secret id")
    func secretClient() {
        let fault = decoded(#"{"type":"hello","protocol":1,"client":"sécret-of-ann"}"#).fault
        #expect(fault?.message.contains("cret") == false)
        #expect(fault?.message.contains("not all of them printable ASCII") == true)
    }
}

@Suite("Extensions of the protocol") struct GrowthTests {
    /// Rule L7.
    @Test("fields may be in any order and escaped; unknown fields are ignored")
    func anyOrder() throws {
        let plain = #"{"type":"push","id":2,"doc":"a","base":3,"seq":4,"edits":[{"range":[1,2],"text":"b"}]}"#
        let other =
            #" { "x" : [ { "type" : 1 } ] , "edits" : [ { "new" : [ ] , "text" : "b" , "r\u0061nge" : [ 1 , 2 ] , "y" : { } } ] ,"#
            + #" "seq" : 4 , "b\u0061se":3, "doc" : "\u0061", "id":2, "typ\u0065":"p\u0075sh", "z":"}" } "#
        #expect(try decoded(other).get() == decoded(plain).get())
    }

    @Test("values of unknown keys must also be valid JSON")
    func unknownValuesAreHeldToTheRules() {
        for value in [#""\ud800""#, "01", "9007199254740992", #"{"a":1,"a":2}"#, "[1,]", "1e999", "nul"] {
            #expect(decoded(#"{"type":"ping","x":\#(value)}"#).fault?.code == .badJSON, "\(value)")
        }
        #expect(decoded(#"{"type":"ping","x":[1.5,1e3,-0,null,{"":{}}]}"#).value?.message == .ping(Ping()))
    }

    /// Rule L6.
    @Test("a client ignores unknown types, but keeps unknown codes and reasons")
    func unknownWords() throws {
        var decoder = MessageDecoder()
        #expect(try decoder.serverMessage(Array(#"{"type":"dance","x":1}"#.utf8)) == nil)
        let error = #"{"type":"error","code":"too_blue","message":"no"}"#
        guard case .error(let report) = try decoder.serverMessage(Array(error.utf8))?.message else {
            return #expect(Bool(false), "no error")
        }
        #expect(report.code == .unknown("too_blue"))
        let bye = try decoder.serverMessage(Array(#"{"type":"bye","reason":"tired"}"#.utf8))
        guard case .bye(let end) = bye?.message else { return #expect(Bool(false), "no bye") }
        #expect(end.reason == .unknown("tired"))
        #expect(bye?.message.line() == Array(#"{"type":"bye","reason":"tired"}"#.utf8))
    }

    /// Rule H4.
    @Test("units that the server does not know are ignored in `hello`")
    func unknownUnits() {
        let line =
            #"{"type":"hello","protocol":1,"client":"alice-7f21","units":["graphemes","utf-32","utf-8"]}"#
        guard case .hello(let hello) = decoded(line).value?.message else {
            return #expect(Bool(false), "no hello")
        }
        #expect(hello.units == [.scalar, .utf8])
    }

    @Test("names and words are compared by their bytes")
    func bytesAreCompared() {
        #expect(WireString("é") != WireString("e\u{301}"))
        #expect(Set<WireString>(["é", "e\u{301}", "é"]).count == 2)
        #expect(WireString("\u{E000}") < WireString("\u{10000}"))
    }
}
