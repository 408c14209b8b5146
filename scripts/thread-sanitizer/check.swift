// Checks what `edges.c` reports to the thread sanitizer.
//
//   check handed          a task is resumed before it suspends, and reads the value it was resumed with: no race
//   check handed raced    the same task also reads a value written after the resume: a race that must be reported
//   check shared          an array is changed in place after its copy was read and released: no race
//   check shared raced    the program also reads a value written after the release: a race that must be reported

import Dispatch
import Synchronization

// @unchecked: this program tests access from several threads, with races on purpose.
final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// A flag with relaxed ordering. A stronger ordering would hide the synchronization under test.
final class Flag: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .relaxed) }

    func spin() { while !isSet.load(ordering: .relaxed) {} }
}

let queue = DispatchQueue(label: "check")

func handed(isRaced: Bool) async -> Int {
    let box = await withCheckedContinuation { done in
        let isResumed = Flag()
        queue.async {
            let box = Box(1)
            box.value += 1
            done.resume(returning: box)
            if isRaced { box.value += 1 }
            isResumed.set()
        }
        isResumed.spin()
    }
    return box.value
}

func shared(isRaced: Bool) -> Int {
    var numbers = Array(repeating: 1, count: CommandLine.arguments.count + 1)
    let copy = Box(Optional(numbers))
    let late = Box(0)
    let isGivenUp = Flag()
    queue.async {
        let sum = copy.value?.reduce(0, +) ?? 0
        copy.value = nil
        if isRaced { late.value = sum }
        isGivenUp.set()
    }
    isGivenUp.spin()
    numbers[1] += 1
    return numbers[1] + (isRaced ? late.value : 0)
}

@main
struct Check {
    static func main() async {
        let isShared = CommandLine.arguments.contains("shared")
        let isRaced = CommandLine.arguments.contains("raced")
        // Not on the main actor: returning to it would synchronize too.
        await Task.detached {
            for _ in 0..<100 {
                let number = isShared ? shared(isRaced: isRaced) : await handed(isRaced: isRaced)
                precondition(number > 1)
            }
        }.value
    }
}
