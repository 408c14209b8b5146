import Foundation
import Testing

@Suite("Copies of documents over a socket", .onOwnThread) struct CopyTests {
    /// Rules D18 and D20.
    @Test(
        "a document is copied with its named revisions", arguments: Transport.lines(and: .webSocket))
    func conversation(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let client = try server.connect()
        try client.greet(as: "ann-client")
        try client.send(#"{"type":"push","doc":"d","base":0,"seq":1,"text":"one\n","create":true}"#)
        try client.expect(#"{"type":"ack","doc":"d","seq":1,…"rev":1,…"#)
        try client.send(#"{"type":"tag","doc":"d","name":"first","rev":1}"#)
        try client.expect(#"{"type":"done"}"#)
        try client.send(#"{"type":"tag","doc":"d","name":"empty","rev":0}"#)
        try client.expect(#"{"type":"done"}"#)
        try client.send(#"{"type":"copy","id":1,"doc":"d","to":"e"}"#)
        try client.expect(#"{"type":"done","id":1}"#)
        try client.send(#"{"type":"read","doc":"e"}"#)
        try client.expect(#"{"type":"text","doc":"e","epoch":…,"rev":1,"text":"one\n","newline":"lf"}"#)
        try client.send(#"{"type":"read","doc":"e","rev":0}"#)
        try client.expect(#"{"type":"text","doc":"e","epoch":…,"rev":0,"text":"","newline":"lf"}"#)
        try client.send(#"{"type":"list_tags","doc":"e"}"#)
        try client.expect(
            #"{"type":"tags","doc":"e","tags":[{"name":"empty","rev":0,"user":"anonymous","time":…},{"name":"first","rev":1,"user":"anonymous","time":…}]}"#
        )
        try client.send(#"{"type":"copy","id":2,"doc":"d","to":"e"}"#)
        try client.expect(#"{"type":"error","id":2,"doc":"d","code":"exists",…"#)
        try client.send(#"{"type":"copy","id":3,"doc":"nope","to":"f"}"#)
        try client.expect(#"{"type":"error","id":3,"doc":"nope","code":"not_found",…"#)
        try client.send(#"{"type":"copy","id":4,"doc":"d","to":"d/"}"#)
        try client.expect(#"{"type":"error","id":4,"doc":"d/","code":"bad_name",…"#)
        let other = try server.connect()
        try other.greet(as: "ann-client")
        try other.send(#"{"type":"open","doc":"e"}"#)
        try other.expect(#"{"type":"opened","doc":"e","epoch":…,"rev":1,"text":"one\n",…"#)
    }
}
