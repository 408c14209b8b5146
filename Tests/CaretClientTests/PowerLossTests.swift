import CaretClient
import CaretCore
import CaretReplica
import CaretWire
import Testing

@Suite("Unsaved edits on disk after a power loss") struct PowerLossTests {
    private static let path = "/kept"

    /// The file of a document with this text and one unsaved edit.
    private func kept(_ text: String) throws -> UnsavedEditsFile {
        let savedReplica = SavedReplica(
            position: WirePosition(epoch: "e", revision: 1), committed: try TextBuffer(text), push: nil,
            inFlight: Change(), unsent: try Change([Edit(0..<0, "x")]), nextSeq: 1)
        return UnsavedEditsFile(savedReplica, of: "notes", creates: false)
    }

    private func found(on disk: ForgetfulDisk) throws -> [Int: String] {
        let replicas = try UnsavedEditsFolder(PowerLossTests.path, disk).replicas()
        return Dictionary(uniqueKeysWithValues: replicas.map { ($0.key.value, $0.replica.text.string) })
    }

    /// Rule H2.
    @Test("kept edits and the client id survive a power loss")
    func kept() throws {
        let disk = ForgetfulDisk()
        var folder: UnsavedEditsFolder? = try UnsavedEditsFolder(PowerLossTests.path, disk)
        #expect(try folder?.clientID(orElse: "somebody-1") == "somebody-1")
        folder = nil
        disk.restart()
        #expect(
            try UnsavedEditsFolder(PowerLossTests.path, disk).clientID(orElse: "somebody-2") == "somebody-1")
        for text in ["one", "two"] {
            let folder = try UnsavedEditsFolder(PowerLossTests.path, disk)
            try folder.keep(kept(text), as: 1)
            disk.restart()
            #expect(try found(on: disk) == [1: "x" + text])
            disk.restart()
        }
    }

    @Test("a power loss at any disk call leaves either the old or the new edits")
    func anywhere() throws {
        var calls = 0
        var isThrough = false
        while !isThrough {
            let disk = ForgetfulDisk()
            var last: String?
            do {
                disk.failCalls(after: calls)
                let folder = try UnsavedEditsFolder(PowerLossTests.path, disk)
                _ = try folder.clientID(orElse: "somebody-1")
                for text in ["one", String(repeating: "two", count: 100), "three"] {
                    try folder.keep(kept(text), as: 1)
                    last = text
                }
                isThrough = true
            } catch let fault as UnsavedEditsFault {
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

    @Test("a removed file that a power loss brings back is complete")
    func forgotten() throws {
        let disk = ForgetfulDisk()
        var folder: UnsavedEditsFolder? = try UnsavedEditsFolder(PowerLossTests.path, disk)
        try folder?.keep(kept("one"), as: 1)
        try folder?.forget(1)
        #expect(try folder?.replicas().isEmpty == true)
        folder = nil
        disk.restart()
        #expect([[:], [1: "xone"]].contains(try found(on: disk)))
    }

    @Test("after a kill while the folder is made, a power loss loses no edits")
    func killedBeforePowerLoss() throws {
        for calls in 0..<10 {
            let disk = ForgetfulDisk()
            disk.failCalls(after: calls)
            _ = try? UnsavedEditsFolder(PowerLossTests.path, disk).clientID(orElse: "somebody-1")
            disk.killProcess()
            try UnsavedEditsFolder(PowerLossTests.path, disk).keep(kept("one"), as: 1)
            disk.restart()
            #expect(try found(on: disk) == [1: "xone"], "after \(calls) calls")
        }
    }

    @Test("an existing folder can be used without the right to read its parent")
    func unreadableParent() throws {
        let disk = ForgetfulDisk()
        _ = try UnsavedEditsFolder(PowerLossTests.path, disk)
        disk.forbidReading("/")
        try UnsavedEditsFolder(PowerLossTests.path, disk).keep(kept("one"), as: 1)
        #expect(try found(on: disk) == [1: "xone"])
        #expect(throws: UnsavedEditsFault.self) { try UnsavedEditsFolder("/new", disk) }
    }

    @Test("the path of a folder may be relative to the current folder")
    func relativePath() throws {
        let disk = ForgetfulDisk()
        for path in ["kept", "kept/inner"] {
            try UnsavedEditsFolder(path, disk).keep(kept("one"), as: 1)
            #expect(try disk.names(in: path).contains("1.edits"))
        }
    }

    @Test("half-written files of a killed process are removed")
    func leftover() throws {
        var leftovers = 0
        for calls in 0..<100 {
            let disk = ForgetfulDisk()
            var folder: UnsavedEditsFolder? = try UnsavedEditsFolder(PowerLossTests.path, disk)
            try folder?.keep(kept("one"), as: 1)
            disk.failCalls(after: calls)
            // `keep` throws at the call at which the process is killed.
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
