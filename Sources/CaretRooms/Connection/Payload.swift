/// Bytes to send. Any number of connections can send the same payload, which is stored once.
// @unchecked: the bytes are written before the reference is shared, and never after that.
package final class Payload: @unchecked Sendable {
    /// Valid as long as the payload.
    package let bytes: UnsafeRawBufferPointer
    /// Another form of the same bytes, which lives at least as long as this one.
    private let sibling: Payload?

    /// Makes a payload of `count` bytes, all of which `fill` must write.
    package init(
        byteCount: Int, beside sibling: Payload? = nil, _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        self.sibling = sibling
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

    package var count: Int { bytes.count }
}

extension Payload: Equatable {
    package static func == (left: Payload, right: Payload) -> Bool {
        left === right || left.bytes.elementsEqual(right.bytes)
    }
}
