import CaretConcurrency
import Dispatch
import Testing

@Suite("Values that are confined to a queue or a turn")
struct ConfinedTests {
    @Test("a value that is confined to a queue can be used on that queue")
    func onItsQueue() {
        let queue = DispatchQueue(label: "home")
        let number = Confined(1, to: queue)
        let read = queue.sync {
            number.update { $0 += 1 }
            return number.value
        }
        #expect(read == 2)
    }

    @Test("a value that is confined to a queue traps if another queue uses it")
    func offItsQueue() async {
        await #expect(processExitsWith: .failure) {
            _ = Confined(1, to: DispatchQueue(label: "home")).value
        }
        await #expect(processExitsWith: .failure) {
            let number = Confined(1, to: DispatchQueue(label: "home"))
            DispatchQueue(label: "elsewhere").sync { number.update { $0 += 1 } }
        }
    }

    @Test("`init(_:within:)` traps if the queue is not the current one")
    func confinedWithin() async {
        let queue = DispatchQueue(label: "home")
        #expect(queue.sync { Confined(1, within: queue).value } == 1)
        await #expect(processExitsWith: .failure) {
            _ = Confined(1, within: DispatchQueue(label: "home"))
        }
    }

    @Test("a value that requires a proof of access traps on a wrong proof")
    func wrongProof() async {
        #expect(Confined("x", to: Door(key: 7)).value(on: 7) == "x")
        await #expect(processExitsWith: .failure) {
            _ = Confined("x", to: Door(key: 7)).value(on: 8)
        }
    }

    @Test("a value that is confined to a turn traps if used outside the turn")
    func turns() async {
        let number = Confined(1, to: Turn())
        number.home.run { number.update { $0 += 1 } }
        #expect(number.home.run { number.value } == 2)
        await #expect(processExitsWith: .failure) { _ = Confined(1, to: Turn()).value }
    }

    @Test("entering a turn twice on one thread traps")
    func enteredTwice() async {
        await #expect(processExitsWith: .failure) {
            let turn = Turn()
            turn.run { turn.run {} }
        }
    }

    @Test("a second thread traps if it enters a turn in use or uses its value")
    func otherThread() async {
        await #expect(processExitsWith: .failure) {
            let turn = Turn()
            occupy(turn)
            turn.run {}
        }
        await #expect(processExitsWith: .failure) {
            let number = Confined(1, to: Turn())
            occupy(number.home)
            _ = number.value
        }
    }
}

/// Runs a block that never ends in the turn, on another thread. So the turn stays occupied.
private func occupy(_ turn: Turn) {
    let (isInside, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    DispatchQueue(label: "inside").async {
        turn.run {
            isInside.signal()
            never.wait()
        }
    }
    isInside.wait()
}

/// An executor for tests. Code that passes the executor's key is treated as running on the executor.
private struct Door: Confinement {
    let key: Int

    func check(_ shown: Int) { precondition(shown == key, "wrong key \(shown)") }
}
