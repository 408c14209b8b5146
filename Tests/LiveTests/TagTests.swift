import Foundation
import Testing

@Suite("Named revisions over a socket", .onOwnThread) struct TagTests {
    /// Rule D15.
    @Test(
        "revisions get names, which can be listed and removed", arguments: Transport.lines(and: .webSocket))
    func conversation(transport: Transport) throws {
        let client = try LiveServer(over: transport).connect()
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"push","doc":"d","base":0,"seq":1,"text":"a","create":true}"#)
        try client.expect(#"{"type":"ack","doc":"d","seq":1,…"rev":1,…"#)
        try client.send(#"{"type":"list_tags","id":1,"doc":"d"}"#)
        try client.expect(#"{"type":"tags","id":1,"doc":"d","tags":[]}"#)
        try client.send(#"{"type":"tag","id":2,"doc":"d","name":"first","rev":1}"#)
        try client.expect(#"{"type":"done","id":2}"#)
        try client.send(#"{"type":"tag","id":3,"doc":"d","name":"empty","rev":0}"#)
        try client.expect(#"{"type":"done","id":3}"#)
        try client.send(#"{"type":"list_tags","doc":"d"}"#)
        try client.expect(
            #"{"type":"tags","doc":"d","tags":[{"name":"empty","rev":0,"user":"anonymous","time":…},{"name":"first","rev":1,"user":"anonymous","time":…}]}"#
        )
        try client.send(#"{"type":"tag","doc":"d","name":"first","rev":1}"#)
        try client.expect(#"{"type":"done"}"#)
        try client.send(#"{"type":"tag","doc":"d","name":"first","rev":0}"#)
        try client.expect(#"{"type":"error","doc":"d","code":"exists",…revision 1 …"#)
        try client.send(#"{"type":"tag","doc":"d","name":"later","rev":2}"#)
        try client.expect(#"{"type":"error","doc":"d","code":"base_ahead",…"#)
        try client.send(#"{"type":"tag","doc":"d","name":"1st","rev":1}"#)
        try client.expect(#"{"type":"error","doc":"d","code":"bad_name",…"#)
        try client.send(#"{"type":"untag","id":4,"doc":"d","name":"first"}"#)
        try client.expect(#"{"type":"done","id":4}"#)
        try client.send(#"{"type":"untag","doc":"d","name":"first"}"#)
        try client.expect(#"{"type":"error","doc":"d","code":"not_found",…"#)
        try client.send(#"{"type":"list_tags","doc":"nope"}"#)
        try client.expect(#"{"type":"error","doc":"nope","code":"not_found",…"#)
    }

    /// Rule D16.
    @Test("a name has at most 64 bytes, and a document at most 1,000 named revisions")
    func limits() throws {
        let client = try LineClient(LiveServer())
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"push","doc":"d","base":0,"seq":1,"text":"a","create":true}"#)
        try client.expect(#"{"type":"ack",…"#)
        let longest = String(repeating: "x", count: 64)
        try client.send(#"{"type":"tag","doc":"d","name":"\#(longest)","rev":1}"#)
        try client.expect(#"{"type":"done"}"#)
        try client.send(#"{"type":"tag","doc":"d","name":"\#(longest)x","rev":1}"#)
        try client.expect(#"{"type":"error",…"code":"bad_name",…"#)
        for number in 2...1_000 {
            try client.send(#"{"type":"tag","doc":"d","name":"t\#(number)","rev":1}"#)
            try client.expect(#"{"type":"done"}"#)
        }
        try client.send(#"{"type":"tag","doc":"d","name":"more","rev":1}"#)
        try client.expect(#"{"type":"error","doc":"d","code":"too_large",…1000 named revisions…"#)
        // One name less makes room for another one.
        try client.send(#"{"type":"untag","doc":"d","name":"t2"}"#)
        try client.expect(#"{"type":"done"}"#)
        try client.send(#"{"type":"tag","doc":"d","name":"more","rev":1}"#)
        try client.expect(#"{"type":"done"}"#)
    }
}
