import CaretCore
import CaretFormat
import CaretLog
import CaretStore
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("The lock of a folder") struct FolderLockTests {
    @Test("a store released without `close` locks its folder until writes end")
    func letGo() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        // Once the document is deleted, a round purges it, and the commit waits at the gate.
        let (gate, rounds, deleted) = (Gate(), ThreadSafeCounter(), ThreadSafeCounter())
        var settings = StoreSettings()
        settings.roundEvery = .milliseconds(1)
        settings.now = {
            rounds.add()
            return Int64(deleted.count) * 31 * StoreSettings.day
        }
        do {
            let store = try SQLiteStore(folder: scratch.path, settings: settings) { event in
                if case .committing = event, deleted.count > 0 { gate.wait() }
            }
            let document = try await TrackedDocument(on: store)
            #expect(await store.delete(document.entry.id, at: 1) == nil)
            deleted.add()
            await gate.somebodyWaits()
            withExtendedLifetime(store) {}
        }
        // A round is still running.
        #expect(throws: OpeningFault.folderLocked) { try DataFolder(scratch.path) }
        gate.open()
        let folder = try await freed(scratch.path)
        // No new round begins.
        let before = rounds.count
        for _ in 0..<1000 { await Task.yield() }
        #expect(rounds.count == before)
        folder.unlock()
    }

    @Test("a write in a released store completes before the folder is unlocked")
    func letGoWhileWriting() async throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let gate = Gate()
        let name = try DocumentName("late")
        let created = ThreadSafeCounter()
        do {
            let store = try SQLiteStore(folder: scratch.path) { event in
                if case .committing = event { gate.wait() }
            }
            store.run(.create(name, nil, at: 1)) { _ in created.add() }
            await gate.somebodyWaits()
        }
        #expect(throws: OpeningFault.folderLocked) { try DataFolder(scratch.path) }
        gate.open()
        try await freed(scratch.path).unlock()
        #expect(created.count == 1)
        let again = try SQLiteStore(folder: scratch.path)
        #expect(refusal(await again.find(name)) == nil)
        await again.close()
    }

    @Test("unlocking a folder frees it, even if a child process shares the lock")
    func sharedLock() throws {
        let scratch = try Scratch.inMemory()
        defer { scratch.remove() }
        let folder = try DataFolder(scratch.path)
        #expect(throws: OpeningFault.folderLocked) { try DataFolder(scratch.path) }
        // A child process that was just started shares the file in the same way.
        let held = descriptors(of: scratch.path + "/caret.lock")
        #expect(held.count == 1, "a refused lock closes its file")
        let shared = dup(held.first ?? -1)
        folder.unlock()
        #expect(descriptors(of: scratch.path + "/caret.lock") == [shared])
        try DataFolder(scratch.path).unlock()
        close(shared)
    }

    /// The open files of this process with this path.
    private func descriptors(of path: String) -> [Int32] {
        (0..<4096).filter { (number: Int32) in
            // Most numbers have no open file.
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
        }
    }

    /// Waits until the folder can be locked, and locks it.
    private func freed(_ path: String) async throws -> DataFolder {
        while true {
            do throws(OpeningFault) {
                return try DataFolder(path)
            } catch {
                guard error == .folderLocked else { throw error }
                await Task.yield()
            }
        }
    }
}

/// Blocks the writer's thread until the gate is opened.
private final class Gate: Sendable {
    private let opening = DispatchSemaphore(value: 0)
    private let waits = ThreadSafeCounter()

    func wait() {
        waits.add()
        opening.wait()
        // Keep the gate open for the next waiter.
        opening.signal()
    }

    func open() { opening.signal() }

    func somebodyWaits() async {
        while waits.count == 0 { await Task.yield() }
    }
}
