import CaretCore
import CaretReplica
import CaretWire
import TestSupport
import Testing

@Suite("Random messages") struct AnyMessageTests {
    @Test("random messages never break an invariant or make the shown text wrong")
    func anyMessage() {
        let seeds = Seeds.first(Seeds.share(of: 20_000, everyCommit: 3_000))
        var (count, undos) = (0, 0)
        for seed in seeds {
            var random = Seeded(seed)
            var me = ModelClient(mode: random.chance(20) ? .watch : .edit)
            do {
                for _ in 0..<60 {
                    try act(&me, &random)
                    try me.check()
                    count += 1
                }
            } catch {
                Issue.record("seed \(seed): \(error)\nreplay: \(Seeds.replay(seed, of: "anyMessage"))")
                return
            }
            undos += me.undos
        }
        print("any message: \(seeds.count) seeds, \(count) events, \(undos) undos")
    }

    private func act(_ me: inout ModelClient, _ random: inout Seeded) throws {
        switch random.number(0...30) {
        case 0..<6: try me.type(&random)
        case 6: try me.select(&random)
        case 7: try me.disconnect()
        case 8, 9: try me.connect()
        case 10: try me.wake()
        case 11: try me.retry()
        case 12: try me.discard()
        case 13: try me.undo(again: random.chance(30))
        default: try receive(&me, &random)
        }
    }

    private func receive(_ me: inout ModelClient, _ random: inout Seeded) throws {
        if random.chance(6) {
            return try me.openRefused(ErrorReport(refusal(&random), after: time(&random)))
        }
        try me.receive(message(to: me.replica, &random))
    }

    private func time(_ random: inout Seeded) -> Milliseconds? {
        random.pick([nil, 1, Milliseconds(.max), Milliseconds(.min)])
    }

    /// Makes a message that usually fits the replica, and sometimes contains an error.
    private func message(to replica: Replica, _ random: inout Seeded) -> ServerMessage {
        let position = position(near: replica, &random)
        let next = random.chance(80) ? replica.revision.next : position.revision
        let inFlight = replica.inFlight?.push.seq ?? 1
        let seq = random.chance(80) ? inFlight : random.pick([0, 1, Seq(.min), Seq(.max), replica.nextSeq])
        switch random.number(0...11) {
        case 0, 1: return opened(at: position, seq, &random)
        case 2, 3:
            let kind = random.pick([ServerMessage.AckKind.committed, .committed, .duplicate, .unchanged])
            let edits = random.chance(50) ? nil : edits(for: replica.committed, &random)
            return .acked(seq, next, edits, kind: kind)
        case 4: return .refused(seq, refusal(&random), after: time(&random))
        case 5, 6:
            let from = random.chance(10) ? position.revision : nil
            return .changed(next, from: from, edits: edits(for: replica.committed, &random))
        case 7: return .checked(position.revision, of: random.chance(50) ? replica.committed : TextBuffer())
        case 8:
            let own = own(seq, position, &random)
            return .resynced(text(&random), epoch: position.epoch, at: position.revision, own: own)
        case 9: return .peer(session(&random), position.revision, selections(&random))
        case 10: return .left("s1")
        default:
            return random.pick([
                .granted(.none), .granted(.read), .granted(.write), .granted(.write), .end,
                .departed(.deleted), .departed(.damaged), .departed(.renamed, to: "1"),
            ])
        }
    }

    private func position(near replica: Replica, _ random: inout Seeded) -> WirePosition {
        let revision = random.pick([-1, 0, 1, .min, .max, .max - 1, replica.revision.value])
        let known = replica.position.flatMap { random.chance(80) ? $0 : nil }
        return known ?? WirePosition(epoch: random.pick(["e", "f"]), revision: Revision(revision))
    }

    private func opened(at position: WirePosition, _ seq: Seq, _ random: inout Seeded) -> ServerMessage {
        let resumes = random.chance(50)
        let text = text(&random)
        let rights = random.pick([Rights.write, .write, .write, .read, .none])
        let own = own(seq, position, &random)
        let peers = (0..<random.number(0...2)).map { _ in Peer(session(&random), selections(&random)) }
        let (epoch, revision) = (position.epoch, position.revision)
        return resumes
            ? .resumed(epoch: epoch, at: revision, rights: rights, own: own, peers: peers)
            : .opened(text, epoch: epoch, at: revision, rights: rights, own: own, peers: peers)
    }

    private func own(_ seq: Seq, _ position: WirePosition, _ random: inout Seeded) -> OwnPush? {
        let revision = random.pick([position.revision, position.revision, 0, Revision(.max), Revision(.min)])
        return random.chance(50) ? nil : OwnPush(seq, at: revision)
    }

    private func session(_ random: inout Seeded) -> WireString { WireString("s\(random.number(0...2))") }

    private func selections(_ random: inout Seeded) -> [Selection] {
        (0..<random.number(0...2)).map { _ in
            Selection(anchor: Offset(random.pick([-1, 0, 1, 5, .max])), head: Offset(random.number(0...9)))
        }
    }

    private func text(_ random: inout Seeded) -> String { SampleText.make(upTo: 20, &random) }

    private func edits(for text: TextBuffer, _ random: inout Seeded) -> [Edit] {
        if random.chance(80) { return SampleChange.make(for: text, upTo: 3, &random).edits }
        return (0..<random.number(0...3)).map { _ in
            let start = random.pick([0, 1, 2, 3, 20, Edit.farthestOffset])
            return SampleChange.edit(start, min(start + random.number(0...3), Edit.farthestOffset), "😀")
        }
    }

    private func refusal(_ random: inout Seeded) -> Refusal {
        random.pick([
            .rateLimited, .overloaded, .storageFull, .storageFailed, .internalFault, .shuttingDown,
            .pushInFlight,
            .notOpen, .alreadyOpen, .epochChanged, .baseAhead, .baseTrimmed, .baseBeforeOwnPush, .seqReused,
            .badRange, .notFound, .damaged, .forbidden, .badText, .badEdits, .tooLarge, .lineTooLong, .other,
        ])
    }
}
