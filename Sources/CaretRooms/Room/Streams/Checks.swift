import CaretCore
import CaretWire

/// Decides when the document has been unchanged long enough for a check, and keeps the checksum of its text.
struct Checks: Sendable {
    private struct Sum {
        let revision: Revision
        let crc32: UInt32
    }

    private var changed: Int64
    private var sum: Sum?
    /// The revision whose checksum is being computed.
    private var asked: Revision?
    /// Whether the checksum being computed belongs to a history that no longer exists.
    private var isOutdated = false
    private var askedAt: Int64 = .min / 2

    init(at time: Int64) { changed = time }

    /// Starts again, because the document has a new history.
    mutating func restart(at time: Int64) {
        (changed, sum) = (time, nil)
        isOutdated = asked != nil
    }

    mutating func changed(at time: Int64) { changed = time }

    func rests(since limits: Limits) -> Int64 { changed + Int64(limits.restMilliseconds) }

    func crc32(at revision: Revision) -> UInt32? { sum?.revision == revision ? sum?.crc32 : nil }

    /// The earliest time for the next checksum; nil while one is being computed. Of revisions that follow
    /// each other quickly, not every one gets a checksum.
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
    /// Sends a session at the head the checksum of its text: when the document has not changed for a while,
    /// and once after a resume.
    mutating func sendCheck(to index: Int) {
        if sessions[index].stream.checked == head { return }
        if !sessions[index].stream.wantsCheck, clock.now < checks.rests(since: limits) {
            return clock.needs(at: checks.rests(since: limits))
        }
        guard let crc32 = checks.crc32(at: head) else { return requestChecksum() }
        let length = text.length.count(of: sessions[index].unit)
        let check = Check(document: log.name, revision: head, length: length, crc32: crc32)
        deliver(effects.line(check), to: index)
        sessions[index].stream.sentCheck(at: head)
    }

    private mutating func requestChecksum() {
        guard let time = checks.asks(since: limits) else { return }
        if clock.now < time { return clock.needs(at: time) }
        checks.ask(for: head, at: clock.now)
        effects.add(.compute(nextWork(), .checksum(text)))
    }

    /// Stores a computed checksum, and sends it to the sessions that need it.
    mutating func summed(_ crc32: UInt32) {
        checks.answered(crc32)
        sessions.needDelivery()
    }
}
