import CaretCore
import CaretLog
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CaretStore

@Suite("The lock of a folder") struct FolderLockTests {
    @Test("a store that is let go without a close holds its folder until nothing of it writes any more")
    func letGo() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let gate = Gate()
        var settings = StoreSettings()
        settings.roundEvery = .milliseconds(1)
        settings.now = {
            gate.wait()
            return 0
        }
        do {
            let store = try SQLiteStore(folder: scratch.path, settings: settings)
            await gate.somebodyWaits()
            withExtendedLifetime(store) {}
        }
        // A round is under way.
        #expect(throws: OpeningFault.held) { try DataFolder(scratch.path) }
        gate.open()
        let folder = try await freed(scratch.path)
        // No other round begins.
        let rounds = gate.passes
        for _ in 0..<1000 { await Task.yield() }
        #expect(gate.passes == rounds)
        folder.unlock()
    }

    @Test("a call that writes when its store is let go is answered before the folder is free")
    func letGoWhileWriting() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let gate = Gate()
        let name = try DocumentName("late")
        let created = Counted()
        do {
            let store = try SQLiteStore(folder: scratch.path) { event in
                if case .committing = event { gate.wait() }
            }
            store.create(name, at: 1) { _ in created.add() }
            await gate.somebodyWaits()
        }
        #expect(throws: OpeningFault.held) { try DataFolder(scratch.path) }
        gate.open()
        try await freed(scratch.path).unlock()
        #expect(created.count == 1)
        let again = try SQLiteStore(folder: scratch.path)
        #expect(refusal(await again.find(name)) == nil)
        await again.close()
    }

    /// The folder, once it is free.
    private func freed(_ path: String) async throws -> DataFolder {
        while true {
            do throws(OpeningFault) {
                return try DataFolder(path)
            } catch {
                guard error == .held else { throw error }
                await Task.yield()
            }
        }
    }
}

/// Where threads wait until it is opened.
private final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waits = 0
    }

    private let state = Mutex(State())

    func wait() {
        state.withLock { $0.waits += 1 }
        while !state.withLock({ $0.isOpen }) { usleep(200) }
    }

    func open() { state.withLock { $0.isOpen = true } }

    var passes: Int { state.withLock { $0.waits } }

    func somebodyWaits() async {
        while passes == 0 { await Task.yield() }
    }
}
