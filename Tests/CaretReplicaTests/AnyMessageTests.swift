import CaretCore
import CaretReplica
import TestSupport
import Testing

@Suite("Any message") struct AnyMessageTests {
    @Test("whatever a server says in whatever order, a replica goes on, and its view is what it says it is")
    func anyMessage() {
        let seeds = Seeds.first(Seeds.share(of: 20_000, everyCommit: 3_000))
        var count = 0
        for seed in seeds {
            var random = Seeded(seed)
            var (me, markers) = (ModelClient(mode: random.chance(20) ? .watch : .edit), Markers())
            do {
                for _ in 0..<60 {
                    try act(&me, &markers, &random)
                    try me.check()
                    count += 1
                }
            } catch {
                Issue.record("seed \(seed): \(error)\nreplay: \(Seeds.replay(seed, of: "anyMessage"))")
                return
            }
        }
        print("any message: \(seeds.count) seeds, \(count) events")
    }

    private func act(_ me: inout ModelClient, _ markers: inout Markers, _ random: inout Seeded) throws {
        switch random.number(0...29) {
        case 0..<6: try me.type(&markers, &random)
        case 6: try me.select(&random)
        case 7: try me.cutOff()
        case 8, 9: try me.connect()
        case 10: try me.wake()
        case 11: try me.retry()
        case 12: try me.discard(&markers)
        default: try me.receive(message(to: me.replica, &random), nameNow: 0)
        }
    }

    /// Mostly one that fits what the replica is about, with something wrong in it now and then.
    private func message(to replica: Replica, _ random: inout Seeded) -> Message {
        let place = place(near: replica, &random)
        let next = random.chance(80) ? replica.revision.next : place.revision
        let inFlight = replica.inFlight?.push.seq ?? 1
        let seq = random.chance(80) ? inFlight : random.pick([0, 1, Seq(.min), Seq(.max), replica.nextSeq])
        let time = random.pick([nil, 1, Milliseconds(.max), Milliseconds(.min)])
        switch random.number(0...12) {
        case 0, 1: return .opened(opened(at: place, seq, &random))
        case 2: return .openRefused(refusal(&random), retryAfter: time)
        case 3, 4:
            let kind = random.pick([Ack.Kind.committed, .committed, .duplicate, .unchanged])
            let edits = random.chance(50) ? nil : edits(for: replica.committed, &random)
            return .acked(Ack(seq: seq, revision: next, edits: edits, kind: kind))
        case 5: return .pushRefused(seq, refusal(&random), retryAfter: time)
        case 6, 7:
            let from = random.chance(10) ? place.revision : nil
            return .changed(
                CommittedChange(revision: next, from: from, edits: edits(for: replica.committed, &random)))
        case 8: return .checked(place.revision, TextCheck(of: random.chance(50) ? replica.committed : Text()))
        case 9: return .resynced(Resync(place: place, text: text(&random), own: own(seq, place, &random)))
        case 10: return .peer(peer(&random), at: place.revision)
        case 11: return .left(SessionID("s1"))
        default:
            return random.pick([
                .rights(.none), .rights(.read), .rights(.write), .rights(.write), .bye, .gone(.deleted),
                .gone(.damaged), .gone(.renamed(to: DocumentName("1"))),
            ])
        }
    }

    private func place(near replica: Replica, _ random: inout Seeded) -> Place {
        let revision = random.pick([-1, 0, 1, .min, .max, .max - 1, replica.revision.value])
        let known = replica.place.flatMap { random.chance(80) ? $0 : nil }
        return known ?? Place(epoch: Epoch(random.pick(["e", "f"])), revision: Revision(revision))
    }

    private func opened(at place: Place, _ seq: Seq, _ random: inout Seeded) -> Opened {
        Opened(
            place: place, content: random.chance(50) ? .resumed : .text(text(&random)),
            rights: random.pick([.write, .write, .write, .read, .none]), own: own(seq, place, &random),
            peers: (0..<random.number(0...2)).map { _ in peer(&random) })
    }

    private func own(_ seq: Seq, _ place: Place, _ random: inout Seeded) -> OwnPush? {
        let revision = random.pick([place.revision, place.revision, 0, Revision(.max), Revision(.min)])
        return random.chance(50) ? nil : OwnPush(seq: seq, revision: revision)
    }

    private func peer(_ random: inout Seeded) -> Peer {
        let selections = (0..<random.number(0...2)).map { _ in
            Selection(anchor: Offset(random.pick([-1, 0, 1, 5, .max])), head: Offset(random.number(0...9)))
        }
        return Peer(session: SessionID("s\(random.number(0...2))"), selections: selections)
    }

    private func text(_ random: inout Seeded) -> Text {
        (try? Text(SampleText.make(upTo: 20, &random))) ?? Text()
    }

    private func edits(for text: Text, _ random: inout Seeded) -> [Edit] {
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
