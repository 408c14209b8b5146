// CaretReplica for JavaScript. `replica.js` uses these calls.
//
// A replica is in a table of the module, and a call names it by its index, the handle. Each call answers as
// described in Exports.swift. The bytes of events, actions and parts consist of
//
//     number        i32
//     flag          i32: 0 or 1
//     seq           the lower half: u32, the upper half: u32
//     string        count: u32, `count` bytes of UTF-8
//     change        as in Exports.swift
//     selections    count: u32, then for each selection the anchor and the head: i32
//     position      flag: whether there is a position; then the epoch: string, the revision: i32
//     own           flag: whether there is an own push; then its seq, the revision: i32
//
// Revisions have 32 bits, because `Int` has 32 bits in WebAssembly.

import CaretCore
import CaretReplica

/// Makes a replica, and returns its handle. `mode` is 0 to edit, and anything else to watch.
@c(caret_replica_new)
package func newReplica(_ seqLow: UInt32, _ seqHigh: UInt32, _ mode: Int32) -> Int32 {
    let replica = Replica(firstSeq: Seq(seqLow, seqHigh), mode: mode == 0 ? .edit : .watch)
    return Int32(truncatingIfNeeded: ReplicaTable.add(replica))
}

/// Makes a replica from a keepsake. The answer is its handle: one number.
@c(caret_replica_restore)
package func restoreReplica(_ keepsake: Bytes, _ count: UInt32) -> Answer {
    do throws(Refusal) {
        var reader = try Input(keepsake, count).reader()
        return write(ReplicaTable.add(try reader.replica()))
    } catch {
        return write(error, blaming: 0)
    }
}

/// Removes a replica. An invalid handle is ignored.
@c(caret_replica_free)
package func freeReplica(_ handle: Int32) { ReplicaTable.remove(handle) }

/// Passes an event to a replica. The answer is a list of actions: for each action its number, and then its
/// parts. `EventKind` lists the events, and `ReplicaParts.swift` writes the actions.
@c(caret_replica_event)
package func passEvent(_ handle: Int32, _ event: Bytes, _ count: UInt32) -> Answer {
    guard let box = ReplicaTable.box(handle) else { return write(Refusal(.malformed, handle), blaming: 0) }
    do throws(Refusal) {
        var reader = try Input(event, count).reader()
        let length = box.replica.text.length.utf8
        // An event adds at most its own bytes to the text, or restores bytes that were removed before. So
        // this check keeps all lengths within 32 bits.
        if length + Int(count) > Limits.offset {
            throw Refusal(
                .tooLarge, Int32(truncatingIfNeeded: length), Int32(truncatingIfNeeded: Limits.offset))
        }
        let actions = try reader.passEvent(to: &box.replica)
        var writer = Writer(payload: 64)
        for action in actions { writer.put(action) }
        return writer.finish()
    } catch {
        return write(error, blaming: 1)
    }
}

/// Returns a part of a replica. `ReplicaPart` lists the parts.
@c(caret_replica_read)
package func readReplica(_ handle: Int32, _ part: Int32) -> Answer {
    guard let box = ReplicaTable.box(handle) else { return write(Refusal(.malformed, handle), blaming: 0) }
    guard let part = ReplicaPart(rawValue: part) else { return write(Refusal(.malformed, part), blaming: 1) }
    return write(part, of: &box.replica)
}
