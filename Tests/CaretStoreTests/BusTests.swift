import CaretCore
import CaretLog
import CaretPostgres
import Foundation
import Synchronization
import TestSupport
import Testing

/// What servers over one PostgreSQL database publish to each other.
@Suite("The bus over PostgreSQL") struct BusTests {
    /// What a store has received.
    private final class Ear: Sendable {
        private let received = Mutex<[BusEvent]>([])

        init(_ store: PostgresStore, needsAll: Bool = true) {
            if needsAll { store.bus?.needAll(true) }
            store.bus?.listen { event in self.received.withLock { $0.append(event) } }
        }

        var notifications: Set<PeerNotification> {
            received.withLock { events in
                Set(
                    events.flatMap { event -> [PeerNotification] in
                        if case .received(_, let all) = event { all } else { [] }
                    })
            }
        }

        var hasMissed: Bool { received.withLock { $0.contains(.missed) } }

        func forget() { received.withLock { $0 = [] } }

        func waits(for what: (Ear) -> Bool) async throws {
            for _ in 0..<1_000 where !what(self) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(what(self), "received: \(received.withLock { $0 })")
        }
    }

    private func open(
        _ address: String, _ node: String, onEvent: @escaping @Sendable (PostgresEvent) -> Void = { _ in }
    ) throws -> PostgresStore {
        try PostgresStore(
            PostgresAddress(address), node: node, allowsUnreplicated: true, patience: 3_000, onEvent: onEvent)
    }

    @Test("a server whose name another one has taken meanwhile goes on under another name")
    func lostName() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let events = Shared<[PostgresEvent]>([])
        let here = try open(address, "a") { event in events.change { $0.append(event) } }
        let there = try open(address, "b")
        let (ear, own) = (Ear(there), Ear(here))
        var document = try await TrackedDocument(on: here)
        try await document.type("ab")
        try await ear.waits { $0.notifications.contains(.head(document.entry.id, 2)) }
        here.bus?.report(NodeReport(address: "x", version: "1", started: 1))
        // Takes the lock of "a" at the moment when its connection is cut, and keeps it until the server has another name.
        try cluster.executeInBackground(
            PostgresCluster.block(
                "PERFORM pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1; "
                    + "PERFORM pg_advisory_lock(hashtext('caret.store_1'), 1);",
                until: "EXISTS (SELECT 1 FROM store_1.node WHERE name = 'a~2')"))
        try await own.waits { _ in events.value.contains(.nameLost("a", now: "a~2")) }
        own.forget()
        ear.forget()
        // Its appends go on, and nothing looks as if commits were lost.
        try await document.type("cd")
        try await ear.waits { $0.notifications.contains(.head(document.entry.id, 4)) }
        #expect(!events.value.contains { if case .renewed = $0 { true } else { false } })
        here.bus?.report(NodeReport(address: "x", version: "2", started: 1))
        var listed: [NodeEntry] = []
        for _ in 0..<1_000 where !listed.contains(where: { $0.name == "a~2" }) {
            try await Task.sleep(for: .milliseconds(10))
            listed = try await others(there)
        }
        #expect(listed.contains { $0.name == "a~2" && $0.report.version == "2" })
        await here.close()
        await there.close()
    }

    private func others(_ store: PostgresStore) async throws -> [NodeEntry] {
        try await store.otherNodes().get()
    }

    @Test("a server receives what the other ones have committed, and nothing of itself")
    func everyKind() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let (here, there) = (try open(address, "here"), try open(address, "there"))
        let (ear, own) = (Ear(there), Ear(here))
        var document = try await TrackedDocument(on: here)
        let id = document.entry.id
        try await ear.waits { $0.notifications == [.changed(id)] }
        ear.forget()
        let append = try document.append([SampleChange.edit(0, 0, "x")], seq: 1)
        #expect(await here.append(append) == .committed(head: 1))
        try document.follow(append)
        try await ear.waits { $0.notifications == [.head(id, 1)] }
        ear.forget()
        let locked = try document.append([SampleChange.edit(0, 0, "y")], seq: 2)
        let outcome = await here.appendLocked(locked) { _ in locked.changes }
        #expect(outcome.outcome == .committed(head: 2))
        try await ear.waits { $0.notifications == [.head(id, 2)] }
        ear.forget()
        #expect(await here.rename(id, to: try DocumentName("other")) == .renamed)
        try await ear.waits { $0.notifications == [.changed(id)] }
        ear.forget()
        #expect(await here.delete(id, at: 7) == nil)
        try await ear.waits { $0.notifications == [.changed(id)] }
        ear.forget()
        guard case .undeleted = await here.undelete(id) else { throw CancellationError() }
        try await ear.waits { $0.notifications == [.changed(id)] }
        ear.forget()
        #expect(await here.trim(id, through: 1) == .trimmed(start: 1))
        try await ear.waits { $0.notifications == [.changed(id)] }
        ear.forget()
        let token = try await here.addToken(of: UserName("ann"), .all).get().token
        #expect(await here.revokeToken(token) == nil)
        let joined = PeerNotification.joined(PublicPusher(user: "ann", client: "p-1"), at: 12)
        here.bus?.publish([joined])
        try await ear.waits { $0.notifications == [.revoked(token), joined] }
        #expect(own.notifications == [])
        await here.close()
        await there.close()
    }

    @Test("a server whose connection was lost says that it may have missed something, and receives again")
    func lostConnection() async throws {
        let cluster = try PostgresCluster()
        let address = cluster.newAddress()
        let (here, there) = (try open(address, "here"), try open(address, "there"))
        let ear = Ear(there)
        // The connections of a bus end their life with one of these statements.
        let statements = ["%pg_notify(%", "%pg_try_advisory_lock%"].map { "query LIKE '\($0)'" }
        try cluster.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'caretd' AND ("
                + statements.joined(separator: " OR ") + ")")
        try await ear.waits { $0.hasMissed }
        ear.forget()
        here.bus?.publish([.revoked(TokenID(3))])
        try await ear.waits { $0.notifications == [.revoked(TokenID(3))] }
        await here.close()
        await there.close()
    }

    @Test("a server that ends or falls silent may not have published its last commits")
    func silentServer() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let (here, there) = (try open(address, "here"), try open(address, "there"))
        let ear = Ear(there)
        here.bus?.publish([.revoked(TokenID(3))])
        try await ear.waits { $0.notifications == [.revoked(TokenID(3))] }
        ear.forget()
        await here.close()
        try await ear.waits { $0.hasMissed }
        await there.close()
    }

    @Test("two running servers cannot have one name, and the name is free after the end")
    func names() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let first = try open(address, "same")
        #expect(throws: PostgresOpeningFault.nameInUse("same")) { try open(address, "same") }
        await first.close()
        await (try open(address, "same")).close()
    }

    @Test("the notifications of many changes take several messages, and each is received")
    func manyNews() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let (here, there) = (try open(address, "here"), try open(address, "there"))
        let ear = Ear(there)
        let notifications = (0..<3_000).map { PeerNotification.head(DocumentID($0), 1_000_000) }
        here.bus?.publish(notifications)
        try await ear.waits { $0.notifications == Set(notifications) }
        ear.forget()
        // More notifications than can wait are dropped, and the others look for changes themselves.
        here.bus?.publish((0..<10_002).map { .revoked(TokenID($0)) })
        try await ear.waits { $0.hasMissed }
        await here.close()
        await there.close()
    }

    @Test("other messages on the channel are ignored")
    func garbage() async throws {
        let cluster = try PostgresCluster.shared.get()
        let address = cluster.newAddress()
        let (here, there) = (try open(address, "here"), try open(address, "there"))
        let ear = Ear(there)
        let schema = try #require(address.components(separatedBy: "%3D").last)
        for text in [
            "", " ", "1", "1.2", "1.x.y", "1.2.3 h",
            "9.z.1 h1 h1.-2 hx.1 c t9999999999999999999 j1.2 jx.00.1 q7",
        ] {
            try cluster.execute("SELECT pg_notify('caret.\(schema)', '\(text)')")
        }
        here.bus?.publish([.revoked(TokenID(3))])
        try await ear.waits { $0.notifications == [.revoked(TokenID(3))] }
        await here.close()
        await there.close()
    }

    // MARK: Who gets what

    /// A server that has joined, and has said what it needs.
    private func opened(_ address: String, _ node: String, at document: DocumentID?) throws -> (
        PostgresStore, Ear
    ) {
        let store = try open(address, node)
        let ear = Ear(store, needsAll: false)
        if let document { store.bus?.opened(document) }
        return (store, ear)
    }

    /// Publishes to all, and waits until these servers have it. What was published before has arrived then, too.
    private func waitForAll(_ store: PostgresStore, _ token: Int64, _ ears: [Ear]) async throws {
        store.bus?.publish([.revoked(TokenID(token))])
        for ear in ears { try await ear.waits { $0.notifications.contains(.revoked(TokenID(token))) } }
    }

    /// Publishes news until a server has them. On a machine that stands still for seconds, the servers lose sight of each
    /// other, and news from before they meet again count as missed.
    private func publish(
        _ news: [PeerNotification], from store: PostgresStore, until ear: Ear
    ) async throws {
        for _ in 0..<100 where !ear.notifications.isSuperset(of: news) {
            store.bus?.publish(news)
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(ear.notifications.isSuperset(of: news))
    }

    @Test("the news of a document reach the servers that have it open, and no others")
    func onlyReaders() async throws {
        let address = try PostgresCluster.shared.get().newAddress()
        let document = DocumentID(5)
        let (here, own) = try opened(address, "here", at: nil)
        let (reader, heard) = try opened(address, "reader", at: document)
        let (other, unheard) = try opened(address, "other", at: DocumentID(6))
        // Now each server has heard each other one.
        try await waitForAll(here, 1, [heard, unheard])
        try await waitForAll(reader, 2, [own, unheard])
        try await waitForAll(other, 3, [own, heard])
        let news: [PeerNotification] = [.head(document, 7), .changed(document), .left(document, "s1")]
        try await publish(news, from: here, until: heard)
        try await waitForAll(here, 4, [heard, unheard])
        #expect(unheard.notifications.isDisjoint(with: news))
        other.bus?.opened(document)
        try await publish(news, from: here, until: unheard)
        for store in [here, reader, other] { await store.close() }
    }

    @Test("while a server of an earlier version runs, all news are sent to all")
    func earlierVersion() async throws {
        let cluster = try PostgresCluster.shared.get()
        let address = cluster.newAddress()
        let (here, own) = try opened(address, "here", at: nil)
        let (there, ear) = try opened(address, "there", at: nil)
        try await waitForAll(there, 1, [own])
        try await waitForAll(here, 2, [ear])
        let schema = try #require(address.components(separatedBy: "%3D").last)
        // What caretd 0.2.0 sends when it starts, with a token, so that the test knows when it has arrived.
        try cluster.execute("SELECT pg_notify('caret.\(schema)', '99.z.1 t9')")
        try await own.waits { $0.notifications.contains(.revoked(TokenID(9))) }
        here.bus?.publish([.head(DocumentID(5), 7)])
        try await ear.waits { $0.notifications.contains(.head(DocumentID(5), 7)) }
        await here.close()
        await there.close()
    }
}
