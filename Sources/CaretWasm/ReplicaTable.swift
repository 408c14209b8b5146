import CaretReplica

/// The replicas of this module. A handle is an index of the table.
enum ReplicaTable {
    // A WebAssembly instance has one thread.
    nonisolated(unsafe) private static var boxes: [ReplicaBox?] = []

    static func add(_ replica: consuming Replica) -> Int {
        let box = ReplicaBox(replica)
        for index in boxes.indices where boxes[index] == nil {
            boxes[index] = box
            return index
        }
        boxes.append(box)
        return boxes.count - 1
    }

    /// Nil if the handle is invalid.
    static func box(_ handle: Int32) -> ReplicaBox? {
        handle >= 0 && handle < boxes.count ? boxes[Int(handle)] : nil
    }

    static func remove(_ handle: Int32) {
        if box(handle) != nil { boxes[Int(handle)] = nil }
    }
}

/// Holds a replica, so that an event changes it in place.
final class ReplicaBox {
    var replica: Replica

    init(_ replica: consuming Replica) { self.replica = replica }
}
