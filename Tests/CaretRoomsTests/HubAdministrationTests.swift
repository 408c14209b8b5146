import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: administration")
struct HubAdministrationTests {
    private let world = ServerWorld()

    private static let requests = [
        #"{"type":"counters","id":1}"#, #"{"type":"who","id":1}"#, #"{"type":"list_nodes","id":1}"#,
        #"{"type":"trim","id":1,"doc":"a","rev":1}"#,
        #"{"type":"trim","id":1,"doc":"","rev":1}"#, #"{"type":"verify","id":1}"#,
        #"{"type":"verify","id":1,"doc":"a"}"#, #"{"type":"backup","id":1}"#,
    ]

    /// Sends a trim of document a, and returns the answer.
    private func trim(_ admin: TestClient, _ rest: String) -> [String] {
        admin.askedInFull(#"{"type":"trim","id":1,"doc":"a",\#(rest)}"#)
    }

    /// Rule A1.
    @Test("administrative requests need the right to administer all documents", arguments: requests)
    func denied(line: String) throws {
        world.document("a", "x")
        for grant in [Grant(.write, to: .prefix("")), Grant(.admin, to: .prefix("a"))] {
            let ann = world.connect("ann-\(grant.access)", try #require(Grants([grant])))
            #expect(ann.asks(line) == ["forbidden"])
        }
        #expect(world.calls.isEmpty)
    }

    /// Rule A1.
    @Test(
        "without the right to administer, even a bad request gets `forbidden`",
        arguments: [
            #"{"type":"counters","id":[]}"#, #"{"type":"who","limit":0}"#,
            #"{"type":"trim","doc":7}"#, #"{"type":"verify","doc":null}"#,
            #"{"type":"backup","id":1.5}"#, #"{"type":"list_tokens","limit":1001}"#,
            #"{"type":"add_token","user":7}"#, #"{"type":"revoke_token","number":-1}"#,
        ])
    func deniedMalformed(line: String) throws {
        let ann = world.connect("ann", try #require(Grants([Grant(.write, to: .prefix(""))])))
        #expect(ann.asks(line) == ["forbidden"])
        #expect(world.connect("admin").asks(line).last == "bad_message")
    }

    @Test("every room has the renewed epoch; a document is read again if its epoch was renewed meanwhile")
    func renewed() {
        for name in ["a", "b"] { world.document(name, "x") }
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        world.keepsTrace = true
        world.holdsAnswer = { if case .open = $0 { true } else { false } }
        _ = ann.asks(#"{"type":"open","doc":"b"}"#)
        world.hubEvent(.notified(DocumentID(1), .epochsRenewed))
        world.run()
        #expect(world.trace.filter { $0.hasPrefix("hub sendToRoom") && $0.contains("renewed") }.count == 1)
        let opens = world.calls.count
        world.holdsAnswer = { _ in false }
        world.release()
        #expect(world.calls.count == opens + 1)
        #expect(ann.hears() == ["opened"])
    }

    /// Rule A10.
    @Test("a document that was trimmed while the store opened it is read again")
    func trimmedMeanwhile() {
        world.document("a", "one", "two", "three")
        let (ann, admin) = (world.connect("ann"), world.connect("admin"))
        world.makesRoom = { WholeRoom($0, $1.settings, at: $1.now) }
        world.holdsAnswer = { if case .open = $0 { true } else { false } }
        ann.says(#"{"type":"open","doc":"a","epoch":"1.1","rev":1}"#)
        #expect(trim(admin, #""rev":2"#) == [#"{"type":"trimmed","id":1,"doc":"a","start":2,"revisions":2}"#])
        #expect(ann.hears() == ["welcome"])
        world.holdsAnswer = { _ in false }
        world.release()
        #expect(ann.heard()[0].contains(#""resumed":false"#))
    }

    @Test(
        "a request fails if the right is lost during its store call", arguments: [requests[0], requests[2]])
    func rightsGone(line: String) {
        let admin = world.connect("admin")
        (world.holds, world.holdsAdministration) = ({ _ in true }, { _ in true })
        #expect(admin.asks(line) == [])
        world.hubEvent(.grantsChanged(Grants([])!, 1))
        world.run()
        world.release()
        #expect(admin.hears() == ["forbidden"])
    }

    @Test("`counters` returns the numbers that the server has counted")
    func counters() {
        let admin = world.connect("admin")
        #expect(
            admin.askedInFull(#"{"type":"counters","id":1}"#) == [
                #"{"type":"counted","id":1,"since":1,"counters":[{"name":"pushes","value":2}],"latencies":[]}"#
            ])
    }

    /// Rule A1.
    @Test("`list_nodes` tells how much the server is used")
    func nodes() throws {
        world.document("a", "x")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        let node =
            #"{"name":"model","version":"caret/1","since":1,"silent_ms":0,"connections":2,"documents":1,"answering":true}"#
        #expect(
            world.connect("admin").askedInFull(#"{"type":"list_nodes","id":1}"#) == [
                #"{"type":"nodes","id":1,"nodes":[\#(node)]}"#
            ])
    }

    @Test("`who` lists connections in pages, with their open documents")
    func who() {
        world.document("a", "x")
        let ann = world.connect("ann")
        _ = ann.asks(#"{"type":"open","doc":"a"}"#)
        let admin = world.connect("admin")
        let first =
            #"{"number":1,"user":"ann","client":"p-client-ann","since":10000,"docs":["a"]}"#
        let second = #"{"number":2,"user":"admin","client":"p-client-admin","since":10000,"docs":[]}"#
        #expect(
            admin.askedInFull(#"{"type":"who","id":1}"#) == [
                #"{"type":"present","id":1,"connections":[\#(first),\#(second)]}"#
            ])
        #expect(
            admin.askedInFull(#"{"type":"who","limit":1}"#) == [
                #"{"type":"present","connections":[\#(first)],"more":true}"#
            ])
        #expect(
            admin.askedInFull(#"{"type":"who","after":1}"#) == [
                #"{"type":"present","connections":[\#(second)]}"#
            ])
        ann.lose()
        #expect(
            admin.askedInFull(#"{"type":"who"}"#) == [#"{"type":"present","connections":[\#(second)]}"#])
    }

    @Test("`who` lists connections in pages that end at their byte limit")
    func whoPages() {
        let items = ["ann", "admin"].enumerated().map { index, user in
            #"{"number":\#(index + 1),"user":"\#(user)","client":"p-client-\#(user)","since":10000,"docs":[]}"#
        }
        for excess in [0, 1] {
            let world = ServerWorld { $0.page = items.joined().utf8.count - excess }
            _ = world.connect("ann")
            let page = world.connect("admin").askedInFull(#"{"type":"who"}"#)
            let shown = excess == 0 ? "[\(items[0]),\(items[1])]" : #"[\#(items[0])],"more":true"#
            #expect(page == [#"{"type":"present","connections":\#(shown)}"#])
        }
    }

    /// A session that has caught up or is closed is no longer slow.
    @Test("`who` names the documents in which a client is a slow reader")
    func behind() {
        world.document("a", "x")
        world.document("b", "x")
        let (ann, admin) = (world.connect("ann"), world.connect("admin"))
        for name in ["a", "b"] { _ = ann.asks(#"{"type":"open","doc":"\#(name)"}"#) }
        let sessions = [1, 2].map { SessionID(ann.id, number: $0) }
        func behind() -> String? {
            let line = admin.askedInFull(#"{"type":"who","limit":1}"#)[0]
            return line.firstMatch(of: #/"behind":\[(.*?)\]/#).map { String($0.1) }
        }
        #expect(behind() == nil)
        for session in sessions { world.hubEvent(.fellBehind(session, true)) }
        #expect(behind() == #""a","b""#)
        world.hubEvent(.fellBehind(sessions[0], false))
        #expect(behind() == #""b""#)
        _ = ann.asks(#"{"type":"close","doc":"b"}"#)
        world.hubEvent(.fellBehind(sessions[1], true))
        #expect(behind() == nil)
    }

    /// Rule A9.
    @Test("a dry run of a trim counts revisions, and a trim removes them")
    func trim() {
        world.document("a", "x", "xy", "xyz")
        let admin = world.connect("admin")
        #expect(
            trim(admin, #""rev":2,"dry_run":true"#) == [
                #"{"type":"trimmed","id":1,"doc":"a","start":2,"revisions":2,"dry_run":true}"#
            ])
        #expect(
            trim(admin, #""rev":2"#) == [#"{"type":"trimmed","id":1,"doc":"a","start":2,"revisions":2}"#])
        #expect(
            trim(admin, #""rev":1"#) == [#"{"type":"trimmed","id":1,"doc":"a","start":2,"revisions":0}"#])
        #expect(admin.asks(#"{"type":"read","doc":"a","rev":1}"#) == ["base_trimmed"])
        #expect(
            trim(admin, #""rev":3,"dry_run":true"#) == [
                #"{"type":"trimmed","id":1,"doc":"a","start":3,"revisions":1,"dry_run":true}"#
            ])
        for revisions in [1, 0] {
            #expect(
                trim(admin, #""rev":3"#) == [
                    #"{"type":"trimmed","id":1,"doc":"a","start":3,"revisions":\#(revisions)}"#
                ])
        }
        // The store is called only if it must remove revisions.
        #expect(world.calls.count { if case .trim = $0 { true } else { false } } == 2)
        #expect(
            trim(admin, #""rev":4"#) == [
                #"{"type":"error","id":1,"doc":"a","code":"base_ahead","message":"revision 4 is beyond the head 3","epoch":"1.1","rev":3}"#
            ])
        #expect(admin.asks(#"{"type":"trim","doc":"b","rev":0}"#) == ["not_found"])
        #expect(admin.asks(#"{"type":"trim","doc":"a//b","rev":0}"#) == ["bad_name"])
    }

    /// Rules A11 and A12.
    @Test("a long request blocks no short ones; a second long one waits")
    func care() {
        world.document("a", "x")
        let (admin, other) = (world.connect("admin"), world.connect("other"))
        world.holdsAdministration = { if case .verify = $0 { true } else { false } }
        #expect(admin.asks(#"{"type":"verify","id":1}"#) == [])
        #expect(admin.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
        #expect(admin.askedInFull(#"{"type":"counters","id":2}"#)[0].hasPrefix(#"{"type":"counted","id":2"#))
        #expect(other.asks(#"{"type":"backup","id":3}"#) == [])
        #expect(other.asks(#"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
        world.hubEvent(.progressed(CallID(1), MaintenanceProgress(done: 1, of: 3)))
        world.run()
        #expect(admin.hears() == [#"{"type":"progress","id":1,"done":1,"of":3}"#])
        world.release()
        #expect(
            admin.hears() == [#"{"type":"verified","id":1,"documents":3,"revisions":4,"findings":[]}"#])
        #expect(
            other.hears() == [
                #"{"type":"backed_up","id":3,"file":"caret.sqlite","bytes":5,"documents":3}"#
            ])
        #expect(other.asks(#"{"type":"verify","doc":"b"}"#) == ["not_found"])
    }

    /// Rule A12.
    @Test("at most 16 long requests wait; those of clients that have left do nothing")
    func waitingCare() {
        let (admin, other) = (world.connect("admin"), world.connect("other"))
        world.holdsAdministration = { if case .backUp = $0 { true } else { false } }
        #expect(admin.asks(#"{"type":"backup"}"#) == [])
        for _ in 0..<HubState.mostWaitingMaintenance { #expect(other.asks(#"{"type":"backup"}"#) == []) }
        #expect(admin.asks(#"{"type":"verify"}"#) == ["overloaded"])
        other.lose()
        world.release()
        #expect(admin.hears().count == 1)
        #expect(admin.asks(#"{"type":"verify"}"#).count == 1)
    }

    /// Rule A14.
    @Test("`verify` returns at most one page of findings, and says if more exist")
    func findingsBound() {
        for excess in [0, 1] {
            let finding = Verified.Finding(number: 1, document: "a", message: "harmed")
            let bytes = #"{"number":1,"doc":"a","message":"harmed"}"#.utf8.count
            let world = ServerWorld { $0.page = 2 * bytes - excess }
            let admin = world.connect("admin")
            world.holdsAdministration = { if case .verify = $0 { true } else { false } }
            #expect(admin.asks(#"{"type":"verify"}"#) == [])
            let verified = Verified(documents: 1, revisions: 1, findings: [finding, finding])
            world.hubEvent(.administered(CallID(1), .verified(.success(verified))))
            world.run()
            let found = #"{"number":1,"doc":"a","message":"harmed"}"#
            let told = excess == 0 ? #"[\#(found),\#(found)]"# : #"[\#(found)],"more":true"#
            #expect(
                admin.heard() == [
                    #"{"type":"verified","documents":1,"revisions":1,"findings":\#(told)}"#
                ])
        }
    }

    @Test("a long request is answered even after the client's half close")
    func maintenanceAfterHalfClose() {
        let admin = world.connect("admin")
        _ = admin.heard()
        world.holdsAdministration = { if case .backUp = $0 { true } else { false } }
        admin.send([#"{"type":"backup","id":1}"#])
        admin.endInput()
        #expect(admin.hears() == [] && !admin.isEnded)
        world.release()
        #expect(admin.hears().count == 1 && admin.isEnded)
    }

    /// Rules A12 and A13.
    @Test("a long request ends at a shutdown, but not at a lost connection")
    func maintenanceAtTheEnd() {
        let (admin, other) = (world.connect("admin"), world.connect("other"))
        world.holdsAdministration = { _ in true }
        #expect(admin.asks(#"{"type":"backup","id":1}"#) == [])
        admin.lose()
        #expect(other.asks(#"{"type":"backup","id":2}"#) == [])
        #expect(other.asks(#"{"type":"backup","id":3}"#) == [])
        world.holdsAdministration = { _ in true }
        world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
        world.run()
        #expect(other.hears().prefix(2) == ["shutting_down", "shutting_down"])
    }

    @Test(
        "a request is not run if a shutdown comes during its document's lookup",
        arguments: [#"{"type":"verify","id":1,"doc":"a"}"#, #"{"type":"trim","id":1,"doc":"a","rev":1}"#])
    func lookedForAtTheEnd(request: String) {
        world.document("a", "x")
        let admin = world.connect("admin")
        world.holds = { if case .find = $0 { true } else { false } }
        #expect(admin.asks(request) == [])
        world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
        world.run()
        #expect(admin.hears().first == "shutting_down")
        world.release()
        let use = TokenUse(TokenID(1), at: world.now)
        #expect(world.isFinished && world.calls.dropFirst() == [.tokens(.noteUses([use]))])
    }

    /// Rule A13.
    @Test("a long request ends with `forbidden` if the right was lost meanwhile")
    func maintenanceWithoutRights() {
        for refused in [nil, StoreRefusal.failed] {
            let world = ServerWorld()
            let admin = world.connect("admin")
            world.holdsAdministration = { _ in true }
            #expect(admin.asks(#"{"type":"verify","id":1}"#) == [])
            world.hubEvent(.grantsChanged(Grants([])!, 1))
            world.hubEvent(.progressed(CallID(1), MaintenanceProgress(done: 1, of: 3)))
            world.run()
            #expect(admin.hears() == [])
            if let refused {
                world.hubEvent(.administered(CallID(1), .verified(.failure(refused))))
                world.run()
            }
            world.release()
            #expect(admin.hears() == ["forbidden"])
        }
    }

    /// Rule A13.
    @Test("a backup is reported even if its requester has lost the right")
    func backupWithoutRights() {
        let admin = world.connect("admin")
        world.holdsAdministration = { _ in true }
        #expect(admin.asks(#"{"type":"backup","id":1}"#) == [])
        world.hubEvent(.grantsChanged(Grants([])!, 1))
        world.release()
        #expect(admin.hears().types == ["backed_up"])
    }

    /// Rule A15.
    @Test("a backup of a damaged store or to a full or failed disk gets an error")
    func trouble() {
        let admin = world.connect("admin")
        world.holdsAdministration = { if case .backUp = $0 { true } else { false } }
        for (number, (refusal, code)) in [
            (StoreRefusal.damaged, "damaged"), (.full, "storage_full"), (.failed, "storage_failed"),
        ]
        .enumerated() {
            #expect(admin.asks(#"{"type":"backup"}"#) == [])
            world.hubEvent(.administered(CallID(number + 1), .backedUp(.failure(refusal))))
            world.run()
            #expect(admin.hears() == [code])
        }
    }
}
