import Foundation
import Testing

@Suite("A data folder restored from an older copy", .onOwnThread) struct PutBackTests {
    /// Rules B4 and T6.
    @Test(
        "if a client knows a newer revision than the store, all epochs change",
        arguments: Transport.lines(and: .webSocket))
    func resume(transport: Transport) throws {
        let first = try LiveServer(over: transport)
        let ann = try first.connect()
        try ann.greet(as: "ann-client")
        try ann.send(#"{"type":"push","doc":"a","base":0,"seq":1,"text":"one","create":true}"#)
        try ann.expect(#"{"type":"ack","doc":"a","seq":1,…"rev":1,…"#)
        _ = try first.stop()
        let copy = first.scratch.path + "/copy"
        try FileManager.default.copyItem(atPath: first.dataPath, toPath: copy)

        let second = try first.startAgain()
        let later = try second.connect()
        try later.greet(as: "ann-client")
        try later.send(#"{"type":"open","doc":"a"}"#)
        let opened = try #require(try later.next())
        let epoch = try #require(
            Pattern(#"{"type":"opened","doc":"a","epoch":"⟨epoch⟩","rev":1,…"#).matches(opened)?["epoch"])
        try later.send(#"{"type":"push","doc":"a","epoch":"\#(epoch)","base":1,"seq":2,"text":"two"}"#)
        try later.expect(#"{"type":"ack","doc":"a","seq":2,"rev":2,…"#)
        _ = try second.stop()
        try FileManager.default.removeItem(atPath: first.dataPath)
        try FileManager.default.moveItem(atPath: copy, toPath: first.dataPath)

        let third = try second.startAgain()
        let bob = try third.connect()
        try bob.greet(as: "bob-client")
        // Bob opens document b before the renewal. No client knows a newer revision of b than the server has,
        // but the renewal gives every document a new epoch.
        try bob.send(#"{"type":"open","doc":"b","create":true}"#)
        try bob.expect(#"{"type":"opened","doc":"b",…"#)
        try bob.send(#"{"type":"open","doc":"a"}"#)
        try bob.expect(#"{"type":"opened","doc":"a","epoch":"\#(epoch)","rev":1,"text":"one",…"#)
        let back = try third.connect()
        try back.greet(as: "ann-client")
        try back.send(#"{"type":"open","doc":"a","epoch":"\#(epoch)","rev":2}"#)
        let answer = try #require(try back.next())
        let new = try #require(
            Pattern(#"{"type":"opened","doc":"a","epoch":"⟨new⟩","rev":1,"resumed":false,"text":"one",…"#)
                .matches(answer)?["new"], "\(answer)")
        #expect(new != epoch)
        let told = Set([try bob.next(), try bob.next()].compactMap { $0?.prefix(28) })
        #expect(
            told == [
                #"{"type":"resync","doc":"a","e"#.prefix(28), #"{"type":"resync","doc":"b","e"#.prefix(28),
            ])
        try third.waitForLog(" warning event=epochs_renewed reason=put_back document=1 revision=2")
        // Open connections get no second welcome. The welcome of the next one has the new name of the store.
        let store = String(new.prefix { $0 != "." })
        #expect(!epoch.hasPrefix(store + "."))
        let next = try third.connect()
        try next.send(#"{"type":"hello","protocol":1,"client":"eve-client"}"#)
        try next.expect(#"{"type":"welcome",…,"store":"\#(store)"}"#)
    }
}
