import Foundation
import Testing

@Suite("Notes over a socket", .onOwnThread) struct NoteTests {
    /// Rules N1 and N8.
    @Test(
        "notes are written, listed, changed and removed, and others hear of it",
        arguments: Transport.lines(and: .webSocket))
    func conversation(transport: Transport) throws {
        let server = try LiveServer(over: transport)
        let (ann, bob) = (try server.connect(), try server.connect())
        try ann.greet(as: "ann-client")
        try bob.greet(as: "bob-client")
        try ann.send(#"{"type":"push","doc":"d","base":0,"seq":1,"text":"one two","create":true}"#)
        try ann.expect(#"{"type":"ack",…"rev":1,…"#)
        try bob.send(#"{"type":"open","doc":"d","notes":true}"#)
        let opened = try #require(try bob.next())
        let epoch = try #require(opened.firstMatch(of: /"epoch":"([^"]+)"/)).1
        try ann.send(
            #"{"type":"add_note","id":1,"doc":"d","rev":1,"range":[4,7],"text":"Why?","request":"r"}"#)
        try ann.expect(#"{"type":"note_written","id":1,"doc":"d","note":1,"version":1}"#)
        try bob.expect(#"{"type":"noted","doc":"d"}"#)
        try ann.send(
            #"{"type":"push","doc":"d","epoch":"\#(epoch)","base":1,"seq":2,"text":"zero one two"}"#)
        try ann.expect(#"{"type":"ack",…"rev":2,…"#)
        try bob.expect(#"{"type":"change",…"#)
        try bob.send(#"{"type":"list_notes","id":2,"doc":"d"}"#)
        try bob.expect(
            #"{"type":"notes","id":2,"doc":"d",…"rev":2,"count":1,"whole":true,"rights":"write","notes":[{"note":1,"version":1,"range":[9,12],"quote":"two","text":"Why?","user":"anonymous","time":…,"state":"open"}]}"#
        )
        try ann.send(#"{"type":"change_note","id":3,"doc":"d","note":1,"version":1,"state":"resolved"}"#)
        try ann.expect(#"{"type":"note_written","id":3,"doc":"d","note":1,"version":2}"#)
        try bob.expect(#"{"type":"noted","doc":"d"}"#)
        try ann.send(#"{"type":"remove_note","id":4,"doc":"d","note":1,"version":2}"#)
        try ann.expect(#"{"type":"done","id":4}"#)
        try bob.expect(#"{"type":"noted","doc":"d"}"#)
    }

    @Test("notes over HTTP")
    func overHTTP() throws {
        let client = try LineClient(LiveServer())
        #expect(try client.fetch("PUT /docs/d", "If-None-Match: *", body: "one two").status == 201)
        let json = "Content-Type: application/json"
        let added = try client.fetch("POST /notes/d", json, body: #"{"rev":1,"range":[4,7],"text":"Why?"}"#)
        #expect(added.body == #"{"type":"note_written","doc":"d","note":1,"version":1}"# + "\n")
        let list = try client.fetch("GET /notes/d")
        #expect(list.body.contains(#""range":[4,7],"quote":"two","text":"Why?""#))
        let changed = try client.fetch(
            "PATCH /notes/d", json, body: #"{"note":1,"version":1,"state":"resolved"}"#)
        #expect(changed.status == 200)
        let late = try client.fetch("PATCH /notes/d", json, body: #"{"note":1,"version":1,"text":"x"}"#)
        #expect(late.status == 412)
        #expect(late.code == "base_behind")
        #expect(try client.fetch("DELETE /notes/d?note=1").status == 400)
        #expect(try client.fetch("DELETE /notes/d?note=1&version=2").status == 204)
        #expect(try client.fetch("DELETE /notes/d?note=1&version=2").status == 404)
        let twice = try client.fetch("POST /notes/d", json, body: #"{"doc":"e","text":"x"}"#)
        #expect(twice.status == 400)
    }
}
