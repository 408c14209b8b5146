/// Bytes to send. Any number of connections can send the same payload, which is stored once.
// @unchecked: the bytes are written before the reference is shared, and never after that.
package final class Payload: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer
    /// The owner of the bytes; nil if this payload has allocated them.
    private let array: [UInt8]?

    /// A longer array is shared, not copied.
    private static let mostCopied = 64 << 10

    /// Makes a payload of `count` bytes, all of which `fill` must write.
    package init(byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let kept = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
        fill(kept)
        bytes = UnsafeRawBufferPointer(kept)
        array = nil
    }

    deinit { if array == nil { bytes.deallocate() } }

    /// A copy of `bytes`.
    package convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
    }

    package convenience init(_ bytes: [UInt8]) {
        if bytes.count > Payload.mostCopied {
            self.init(sharing: bytes)
        } else {
            self.init(byteCount: bytes.count) { $0.copyBytes(from: bytes) }
        }
    }

    /// Shares the memory of an array. The memory of an array does not move or change while another owner has it.
    private init(sharing array: [UInt8]) {
        self.array = array
        bytes = array.withUnsafeBytes { $0 }
    }
}
