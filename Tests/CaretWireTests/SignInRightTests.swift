import CaretWire
import Testing

@Suite("Rights of the users that a proxy names") struct SignInRightTests {
    @Test(
        "the name of the user is put into the scope, and never decides what the scope is",
        arguments: [
            ("write:home/{user}/", "ann", WireGrant(.write, to: .prefix("home/ann/"))),
            ("read:public/", "ann", WireGrant(.read, to: .prefix("public/"))),
            ("admin:", "ann", WireGrant(.admin, to: .prefix(""))),
            ("write:=agenda", "ann", WireGrant(.write, to: .document("agenda"))),
            ("write:=home/{user}", "ann", WireGrant(.write, to: .document("home/ann"))),
            ("write:{user}/notes/{user}/", "ann", WireGrant(.write, to: .prefix("ann/notes/ann/"))),
            ("write:{user}/notes", "=ann", WireGrant(.write, to: .prefix("=ann/notes"))),
            ("write:={user}", "=ann", WireGrant(.write, to: .document("=ann"))),
            ("write:{user}/", "{user}", WireGrant(.write, to: .prefix("{user}/"))),
        ])
    func grants(text: String, user: String, grant: WireGrant) throws {
        let right = try #require(SignInRight(text))
        #expect(right.grant(to: user) == grant)
        #expect(right.description == text && right.namesUser == text.contains("{user}"))
    }

    @Test(
        "a text that is no right is refused",
        arguments: [
            "", "write", "home/", "owner:home/", "Write:home/", "write:=", "write:{user}",
            "write:home/{user}",
            "write:{user}s/", "write:{user}{user}/", "write:{usr}/", "write:home/}/", "write:a\u{7}b",
            "write:" + String(repeating: "a", count: 513),
        ])
    func refused(text: String) { #expect(SignInRight(text) == nil) }

    @Test("a scope may be as long as a name")
    func longest() {
        #expect(SignInRight("write:" + String(repeating: "a", count: 512)) != nil)
        #expect(SignInRight("write:=" + String(repeating: "a", count: 512)) != nil)
    }
}
