import CaretConcurrency
import Dispatch
import Testing

@Suite("Confined values")
struct ConfinedTests {
    @Test("a value of a queue is read and changed on that queue")
    func onItsQueue() {
        let queue = DispatchQueue(label: "home")
        let number = Confined(1, to: queue)
        let read = queue.sync {
            number.update { $0 += 1 }
            return number.value
        }
        #expect(read == 2)
    }

    @Test("a value of a queue traps off that queue")
    func offItsQueue() async {
        await #expect(processExitsWith: .failure) {
            _ = Confined(1, to: DispatchQueue(label: "home")).value
        }
        await #expect(processExitsWith: .failure) {
            let number = Confined(1, to: DispatchQueue(label: "home"))
            DispatchQueue(label: "elsewhere").sync { number.update { $0 += 1 } }
        }
    }

    @Test("a value that is a queue's already is confined on that queue only")
    func confinedWithin() async {
        let queue = DispatchQueue(label: "home")
        #expect(queue.sync { Confined(1, within: queue).value } == 1)
        await #expect(processExitsWith: .failure) {
            _ = Confined(1, within: DispatchQueue(label: "home"))
        }
    }

    @Test("a value with a proof of its own is refused to whoever shows a wrong one")
    func wrongProof() async {
        #expect(Confined("x", to: Door(key: 7)).value(on: 7) == "x")
        await #expect(processExitsWith: .failure) {
            _ = Confined("x", to: Door(key: 7)).value(on: 8)
        }
    }

    @Test("a value of a turn is touched inside it, and traps outside")
    func turns() async {
        let number = Confined(1, to: Turn())
        number.home.run { number.update { $0 += 1 } }
        #expect(number.home.run { number.value } == 2)
        await #expect(processExitsWith: .failure) { _ = Confined(1, to: Turn()).value }
    }

    @Test("a turn traps where the same thread enters it twice")
    func enteredTwice() async {
        await #expect(processExitsWith: .failure) {
            let turn = Turn()
            turn.run { turn.run {} }
        }
    }

    @Test("while one thread is inside a turn, another can neither enter it nor touch its value")
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

/// Keeps another thread inside the turn from now on.
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

/// An executor that accepts whoever has the key.
private struct Door: Confinement {
    let key: Int

    func check(_ shown: Int) { precondition(shown == key, "key \(shown) opens nothing") }
}
