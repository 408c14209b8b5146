import CaretTLS

/// TLS between a connection's queue and its socket. Confined to its loop.
///
/// It seals the first bytes of the queue as few large records, and seals the next ones only once these are
/// written. So a slow reader delays the same bytes as without TLS, and only a part of them exists twice.
final class SecureChannel {
    /// The most plain bytes that are sealed for one write.
    private static let flushBytes = 64 << 10
    /// The most bytes that one read may return. With an incomplete record from the read before, the decrypted
    /// bytes still fit in `Buffers.plain`.
    static let readBytes = 47 << 10

    /// Buffers that all secure connections of a loop share.
    final class Buffers {
        /// Bytes that were decrypted last.
        let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        /// Bytes of several payloads, which become one record.
        let record = UnsafeMutableRawBufferPointer.allocate(
            byteCount: TLSSession.recordBytes, alignment: 16)

        deinit {
            plain.deallocate()
            record.deallocate()
        }
    }

    private struct Record {
        /// How many bytes must still be written until this record is written completely.
        var bytesLeft: Int
        let plainBytes: Int
    }

    private let session: TLSSession
    /// The sealed records that are not written yet.
    private var records: [Record] = []
    /// Whether the peer has sent close_notify.
    private(set) var inputHasEnded = false

    init(_ session: TLSSession) { self.session = session }

    /// Whether the handshake is complete.
    var isOpen: Bool { session.isOpen }

    var agreedProtocol: ApplicationProtocol? { session.agreedProtocol }

    // MARK: Input

    /// Decrypts the bytes that have arrived, and stores the result in `buffer`. Returns how many were stored.
    func receive(
        _ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) -> (count: Int, end: TLSSession.ReadingEnd) {
        var rest = bytes
        var filled = 0
        // Works in small steps, because the session keeps a copy of the bytes that it has not decrypted yet.
        while !rest.isEmpty {
            let step = min(rest.count, TLSSession.recordBytes)
            session.receive(UnsafeRawBufferPointer(rebasing: rest[..<step]))
            rest = UnsafeRawBufferPointer(rebasing: rest[step...])
            let (count, end) = session.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            filled += count
            if end == .ended { inputHasEnded = true }
            if end != .needsInput { return (filled, end) }
        }
        return (filled, .needsInput)
    }

    // MARK: Output

    /// What must be written to the socket.
    var output: UnsafeRawBufferPointer { session.output }

    var hasOutput: Bool { !session.output.isEmpty }

    /// Seals the first bytes of the queue, unless sealed bytes wait already.
    func seal(_ queue: borrowing OutputQueue, in buffers: Buffers) throws(TLSFault) {
        guard isOpen, records.isEmpty else { return }
        var cursor = queue.start
        var sealed = 0
        while sealed < Self.flushBytes {
            let piece = queue.next(after: &cursor, gatheredIn: buffers.record)
            if piece.isEmpty { return }
            try session.seal(piece)
            sealed += piece.count
            records.append(Record(bytesLeft: output.count, plainBytes: piece.count))
        }
    }

    /// Removes written output. Returns the number of plain bytes whose records are written completely.
    func wrote(_ count: Int) -> Int {
        session.removeOutput(count)
        for index in records.indices { records[index].bytesLeft -= count }
        let written = records.prefix { $0.bytesLeft <= 0 }
        let plainBytes = written.reduce(0) { $0 + $1.plainBytes }
        records.removeFirst(written.count)
        return plainBytes
    }

    /// Adds close_notify to the output, once.
    func endOutput() { session.endOutput() }
}
