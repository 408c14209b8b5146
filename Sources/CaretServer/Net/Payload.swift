/// Bytes to be sent, stored once however many connections they are handed to.
// @unchecked: the bytes are written before anybody else has the reference, and never again.
package final class Payload: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer

    /// A copy of `bytes`.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = Payload.kept(bytes) }

    package init(_ bytes: [UInt8]) { self.bytes = bytes.withUnsafeBytes(Payload.kept) }

    deinit { bytes.deallocate() }

    private static func kept(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let kept = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        kept.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(kept)
    }
}
