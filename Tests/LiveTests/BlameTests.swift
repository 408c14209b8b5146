import Foundation
import Testing

@Suite("Who changed each line, over a socket", .onOwnThread) struct BlameTests {
    /// Rules D22 and D25.
    @Test(
        "the server says which revision changed each line last", arguments: Transport.lines(and: .webSocket))
    func conversation(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let client = try server.connect()
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"push","doc":"d","base":0,"seq":1,"text":"one\ntwo\n","create":true}"#)
        let ack = try #require(try client.next())
        let epoch = try #require(
            Pattern(#"{"type":"ack","doc":"d","seq":1,"epoch":"⟨epoch⟩",…"#).matches(ack)?["epoch"])
        let other = try server.connect()
        try other.greet(as: "bob-client")
        try other.send(#"{"type":"push","doc":"d","epoch":"\#(epoch)","base":0,"seq":1,"text":"zero\n"}"#)
        try other.expect(#"{"type":"ack",…"rev":2,…"#)
        try other.send(#"{"type":"blame","id":1,"doc":"d","rev":1}"#)
        try other.expect(
            #"{"type":"blamed","id":1,"doc":"d","epoch":…,"rev":1,"ranges":[{"line":1,"lines":2,"rev":1,"user":"anonymous","client":"p-…","time":…}]}"#
        )
        try other.send(#"{"type":"blame","id":2,"doc":"d","limit":1}"#)
        try other.expect(#"{"type":"blamed","id":2,"doc":"d",…"rev":2,"ranges":[{…}],"more":true}"#)
        try other.send(#"{"type":"blame","id":3,"doc":"d","rev":9}"#)
        try other.expect(#"{"type":"error","id":3,"doc":"d","code":"base_ahead",…"#)
        try other.send(#"{"type":"blame","id":4,"doc":"nope"}"#)
        try other.expect(#"{"type":"error","id":4,"doc":"nope","code":"not_found",…"#)
        try other.send(#"{"type":"blame","id":5,"doc":"d","limit":0}"#)
        try other.expect(#"{"type":"error","id":5,…"code":"bad_message",…"#)
    }
}
