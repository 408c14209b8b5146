import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("Kept edits and a loss of power") struct PowerLossTests {
    private static let path = "/kept"

    /// What is kept of a document whose text is this one, with an edit.
    private func kept(_ text: String) throws -> KeptDocument {
        let keepsake = Keepsake(
            place: WirePosition(epoch: "e", revision: 1), committed: try Text(text), push: nil,
            inFlight: Change(), unsent: try Change([Edit(0..<0, "x")]), nextSeq: 1)
        return KeptDocument(keepsake, of: "notes", creates: false)
    }

    private func found(on disk: ForgetfulDisk) throws -> [Int: String] {
        let replicas = try KeepingFolder(PowerLossTests.path, disk).replicas()
        return Dictionary(uniqueKeysWithValues: replicas.map { ($0.key.value, $0.replica.text.string) })
    }

    /// Rule H2.
    @Test("what was kept is there after a loss of power, and so is the id that the server knows it by")
    func kept() throws {
        let disk = ForgetfulDisk()
        var folder: KeepingFolder? = try KeepingFolder(PowerLossTests.path, disk)
        #expect(try folder?.clientID(orElse: "somebody-1") == "somebody-1")
        folder = nil
        disk.restart()
        #expect(try KeepingFolder(PowerLossTests.path, disk).clientID(orElse: "somebody-2") == "somebody-1")
        for text in ["one", "two"] {
            let folder = try KeepingFolder(PowerLossTests.path, disk)
            try folder.keep(kept(text), as: 1)
            disk.restart()
            #expect(try found(on: disk) == [1: "x" + text])
            disk.restart()
        }
    }

    @Test("wherever the power goes off, what is found is whole, and is what was kept last or was about to be")
    func anywhere() throws {
        var calls = 0
        var isThrough = false
        while !isThrough {
            let disk = ForgetfulDisk()
            var last: String?
            do {
                disk.failCalls(after: calls)
                let folder = try KeepingFolder(PowerLossTests.path, disk)
                _ = try folder.clientID(orElse: "somebody-1")
                for text in ["one", String(repeating: "two", count: 100), "three"] {
                    try folder.keep(kept(text), as: 1)
                    last = text
                }
                isThrough = true
            } catch let fault as KeepingFault {
                #expect(!fault.description.isEmpty)
            }
            let next = last == nil ? "one" : last == "one" ? String(repeating: "two", count: 100) : "three"
            disk.restart()
            let text = try found(on: disk)[1]
            #expect([last, next].map { $0.map { "x" + $0 } }.contains(text), "after \(calls) calls")
            calls += 1
        }
        #expect(calls > 30)
    }

    @Test("what is saved is forgotten; should the power bring its file back, that is whole too")
    func forgotten() throws {
        let disk = ForgetfulDisk()
        var folder: KeepingFolder? = try KeepingFolder(PowerLossTests.path, disk)
        try folder?.keep(kept("one"), as: 1)
        try folder?.forget(1)
        #expect(try folder?.replicas().isEmpty == true)
        folder = nil
        disk.restart()
        #expect([[:], [1: "xone"]].contains(try found(on: disk)))
    }

    @Test(
        "a process that is killed while it makes the folder leaves nothing that a later power loss takes away"
    )
    func killedInFrontOfPowerLoss() throws {
        for calls in 0..<10 {
            let disk = ForgetfulDisk()
            disk.failCalls(after: calls)
            _ = try? KeepingFolder(PowerLossTests.path, disk).clientID(orElse: "somebody-1")
            disk.killProcess()
            try KeepingFolder(PowerLossTests.path, disk).keep(kept("one"), as: 1)
            disk.restart()
            #expect(try found(on: disk) == [1: "xone"], "after \(calls) calls")
        }
    }

    @Test("a folder that is there can be used where nobody may read the folder above it")
    func unreadableParent() throws {
        let disk = ForgetfulDisk()
        _ = try KeepingFolder(PowerLossTests.path, disk)
        disk.forbidReading("/")
        try KeepingFolder(PowerLossTests.path, disk).keep(kept("one"), as: 1)
        #expect(try found(on: disk) == [1: "xone"])
        #expect(throws: KeepingFault.self) { try KeepingFolder("/new", disk) }
    }

    @Test("what a killed process has begun to write is removed, and what was kept stays")
    func leftover() throws {
        var leftovers = 0
        for calls in 0..<100 {
            let disk = ForgetfulDisk()
            var folder: KeepingFolder? = try KeepingFolder(PowerLossTests.path, disk)
            try folder?.keep(kept("one"), as: 1)
            disk.failCalls(after: calls)
            // It fails where the process is killed.
            try? folder?.keep(kept(String(repeating: "two", count: 100)), as: 2)
            disk.killProcess()
            folder = nil
            if try disk.names(in: PowerLossTests.path).contains("2.edits.new") { leftovers += 1 }
            #expect(try found(on: disk)[1] == "xone")
            let names = try disk.names(in: PowerLossTests.path).sorted()
            #expect(
                [["1.edits", "lock"], ["1.edits", "2.edits", "lock"]].contains(names), "after \(calls) calls")
        }
        #expect(leftovers > 1)
    }
}
