/// Bytes to be sent, stored once however many connections they are handed to.
// @unchecked: the bytes are written before anybody else has the reference, and never again.
package final class Payload: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer

    /// So many bytes, all of which `fill` must write.
    package init(byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let kept = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
        fill(kept)
        bytes = UnsafeRawBufferPointer(kept)
    }

    deinit { bytes.deallocate() }

    /// A copy of `bytes`.
    package convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
    }

    package convenience init(_ bytes: [UInt8]) {
        self.init(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
    }
}
