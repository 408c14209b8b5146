import CaretCore
import CaretWire

/// Decides when the document has been unchanged long enough for a check, and keeps the checksum of its text.
struct CheckSchedule: Sendable {
    private struct Checksum {
        let revision: Revision
        let crc32: UInt32
    }

    /// The time of the last change.
    private var changedAt: Int64
    private var checksum: Checksum?
    /// The revision whose checksum is being computed.
    private var computing: Revision?
    /// Whether the checksum being computed belongs to a history that no longer exists.
    private var isOutdated = false
    /// When the last computation began.
    private var beganAt: Int64 = .min / 2

    init(changedAt time: Int64) { changedAt = time }

    /// Starts again, because the document has a new history.
    mutating func restart(at time: Int64) {
        (changedAt, checksum) = (time, nil)
        isOutdated = computing != nil
    }

    mutating func noteChange(at time: Int64) { changedAt = time }

    /// When the next check is due if the document does not change until then.
    func nextCheck(_ limits: Limits) -> Int64 { changedAt + Int64(limits.checkDelayMilliseconds) }

    /// The checksum of the text at this revision; nil if it is not computed.
    func crc32(at revision: Revision) -> UInt32? {
        checksum?.revision == revision ? checksum?.crc32 : nil
    }

    /// The earliest time for the next checksum; nil while one is being computed. If revisions follow each
    /// other quickly, some of them get no checksum.
    func nextChecksum(_ limits: Limits) -> Int64? {
        computing != nil ? nil : beganAt + Int64(limits.retryMilliseconds)
    }

    mutating func beginChecksum(of revision: Revision, at time: Int64) {
        (computing, beganAt) = (revision, time)
    }

    mutating func endChecksum(_ crc32: UInt32) {
        if !isOutdated, let computing { checksum = Checksum(revision: computing, crc32: crc32) }
        (computing, isOutdated) = (nil, false)
    }
}

extension RoomState {
    /// Sends a session at the head the checksum of its text: when the document has not changed for a while,
    /// and once after a resume.
    mutating func sendCheck(to index: Int) {
        if sessions[index].stream.lastChecked == head { return }
        if !sessions[index].stream.wantsCheck, clock.now < checks.nextCheck(limits) {
            return clock.schedule(at: checks.nextCheck(limits))
        }
        guard let crc32 = checks.crc32(at: head) else { return requestChecksum() }
        let length = text.length.count(of: sessions[index].unit)
        let check = Check(document: log.name, revision: head, length: length, crc32: crc32)
        deliver(effects.line(check), to: index)
        sessions[index].stream.sentCheck(at: head)
    }

    private mutating func requestChecksum() {
        guard let time = checks.nextChecksum(limits) else { return }
        if clock.now < time { return clock.schedule(at: time) }
        checks.beginChecksum(of: head, at: clock.now)
        effects.add(.compute(nextWork(), .checksum(text)))
    }

    /// Stores a computed checksum, and sends it to the sessions that need it.
    mutating func checksumComputed(_ crc32: UInt32) {
        checks.endChecksum(crc32)
        sessions.needDelivery()
    }
}
