import CZlib
package import CaretCore
import FoundationEssentials

/// A recorded editing session, keystroke by keystroke.
package struct Trace: Sendable {
    package let start: String
    package let end: String
    /// The edits in order, in UTF-16 offsets. Each edit is based on the text after the edit before.
    package let edits: [Edit]

    /// The sequential sessions that the benchmarks use.
    package static let names = ["automerge-paper", "rustcode", "sveltecomponent", "friendsforever_flat"]

    package init(named name: String) throws {
        let file = try JSONDecoder().decode(SequentialFile.self, from: TraceFolder.contents(of: name))
        start = file.startContent
        end = file.endContent
        let patches = file.txns.flatMap(\.patches)
        edits = try UTF16Patches.edits(patches, startingFrom: file.startContent)
    }
}

/// A recorded session of several people at once.
package struct ConcurrentTrace: Sendable {
    package struct Transaction: Sendable {
        package let agent: Int
        /// The earlier transactions that the author had seen. Merged, they give the text that the author
        /// edited.
        package let parents: [Int]
        /// The patches are applied one after the other, beginning with the text that the author saw. Offsets
        /// count scalars.
        package let patches: [TracePatch]
    }

    package let end: String
    package let agents: Int
    package let transactions: [Transaction]

    package init(named name: String) throws {
        let file = try JSONDecoder().decode(ConcurrentFile.self, from: TraceFolder.contents(of: name))
        end = file.endContent
        transactions = file.txns.map {
            Transaction(agent: $0.agent, parents: $0.parents, patches: $0.patches)
        }
        agents = (file.txns.map(\.agent).max() ?? -1) + 1
    }
}

/// A replaced range as the recordings write it: position and length in scalars.
package struct TracePatch: Decodable, Sendable {
    package let start: Int
    package let removed: Int
    package let text: String

    package init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        start = try fields.decode(Int.self)
        removed = try fields.decode(Int.self)
        text = try fields.decode(String.self)
    }

    package var end: Int { start + removed }
}

private struct SequentialFile: Decodable {
    struct Transaction: Decodable {
        let patches: [TracePatch]
    }
    let startContent: String
    let endContent: String
    let txns: [Transaction]
}

private struct ConcurrentFile: Decodable {
    struct Transaction: Decodable {
        let agent: Int
        let parents: [Int]
        let patches: [TracePatch]
    }
    let endContent: String
    let txns: [Transaction]
}

private enum UTF16Patches {
    /// Replays the patches over the scalars of the text, to find out which have two code units.
    static func edits(_ patches: [TracePatch], startingFrom start: String) throws -> [Edit] {
        var text = try TextBuffer(start)
        var edits: [Edit] = []
        edits.reserveCapacity(patches.count)
        for patch in patches {
            let low = try text.convert(ScalarOffset(patch.start), to: UTF16Unit.self)
            let high = try text.convert(ScalarOffset(patch.end), to: UTF16Unit.self)
            edits.append(try Edit(low..<high, patch.text))
            try text.replace(low..<high, with: patch.text)
        }
        return edits
    }
}
