// Tries what `edges.c` tells the thread sanitizer: a task is resumed before it stops to wait.
//
//   check handed    it reads what was written before it was resumed: no race
//   check raced     it reads what is written afterwards too: a race, which has to be reported

import Dispatch
import Synchronization

final class Handed: @unchecked Sendable { var number = 0 }

/// Told without an order, which would make up for the one that is tried.
final class Flag: Sendable { let isSet = Atomic(false) }

let queue = DispatchQueue(label: "check")

func handed(isRaced: Bool) async -> Handed {
    await withCheckedContinuation { done in
        let isResumed = Flag()
        queue.async {
            let handed = Handed()
            handed.number += 1
            done.resume(returning: handed)
            if isRaced { handed.number += 1 }
            isResumed.isSet.store(true, ordering: .relaxed)
        }
        while !isResumed.isSet.load(ordering: .relaxed) {}
    }
}

@main
struct Check {
    static func main() async {
        let isRaced = CommandLine.arguments.last == "raced"
        // Not of the main actor: the way back to that is an order of its own.
        await Task.detached {
            for _ in 0..<100 {
                let number = await handed(isRaced: isRaced).number
                precondition(number > 0)
            }
        }.value
    }
}
