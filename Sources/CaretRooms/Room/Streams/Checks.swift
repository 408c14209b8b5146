import CaretCore
import CaretWire

/// Decides when the document is at rest, and keeps the checksum of its text.
struct Checks: Sendable {
    private struct Sum {
        let revision: Revision
        let crc32: UInt32
    }

    private var changed: Int64
    private var sum: Sum?
    /// The revision whose checksum is being computed.
    private var asked: Revision?
    /// The answer on its way belongs to a history that no longer exists.
    private var isOutdated = false
    private var askedAt: Int64 = .min / 2

    init(at time: Int64) { changed = time }

    /// The document's history begins again.
    mutating func restart(at time: Int64) {
        (changed, sum) = (time, nil)
        isOutdated = asked != nil
    }

    mutating func changed(at time: Int64) { changed = time }

    func rests(since limits: Limits) -> Int64 { changed + Int64(limits.restMilliseconds) }

    func crc32(at revision: Revision) -> UInt32? { sum?.revision == revision ? sum?.crc32 : nil }

    /// When to request the next checksum; nil while an answer is on its way. Revisions that follow each other
    /// quickly get none.
    func asks(since limits: Limits) -> Int64? {
        asked != nil ? nil : askedAt + Int64(limits.retryMilliseconds)
    }

    mutating func ask(for revision: Revision, at time: Int64) { (asked, askedAt) = (revision, time) }

    mutating func answered(_ crc32: UInt32) {
        if !isOutdated, let asked { sum = Sum(revision: asked, crc32: crc32) }
        (asked, isOutdated) = (nil, false)
    }
}

extension RoomState {
    /// Sends a session at the head the checksum of its text: when the document is at rest, and once after a
    /// resume.
    mutating func sendCheck(to index: Int) {
        if sessions[index].stream.checked == head { return }
        if !sessions[index].stream.wantsCheck, clock.now < checks.rests(since: limits) {
            return clock.needs(at: checks.rests(since: limits))
        }
        guard let crc32 = checks.crc32(at: head) else { return askForSum() }
        let length = text.length.count(of: sessions[index].unit)
        let check = Check(document: log.name, revision: head, length: length, crc32: crc32)
        deliver(effects.line(check), to: index)
        sessions[index].stream.sentCheck(at: head)
    }

    private mutating func askForSum() {
        guard let time = checks.asks(since: limits) else { return }
        if clock.now < time { return clock.needs(at: time) }
        checks.ask(for: head, at: clock.now)
        effects.add(.compute(nextWork(), .checksum(text)))
    }

    /// The checksum has been computed.
    mutating func summed(_ crc32: UInt32) {
        checks.answered(crc32)
        sessions.needDelivery()
    }
}
