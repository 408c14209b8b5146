/// Counts the memory of payloads. Any thread may call it.
package protocol PayloadMeter: AnyObject, Sendable {
    func added(_ bytes: Int)
    func removed(_ bytes: Int)
}

/// Bytes to send. Any number of connections can send the same payload, which is stored once.
// @unchecked: the bytes are written before the reference is shared, and never after that.
package final class Payload: @unchecked Sendable {
    /// Valid as long as the payload.
    package let bytes: UnsafeRawBufferPointer
    /// Another form of the same bytes, which lives at least as long as this one.
    private let sibling: Payload?
    private let meter: (any PayloadMeter)?

    /// Makes a payload of `count` bytes, all of which `fill` must write.
    package init(
        byteCount: Int, beside sibling: Payload? = nil, meter: (any PayloadMeter)? = nil,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        (self.sibling, self.meter) = (sibling, meter)
        let kept = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
        fill(kept)
        bytes = UnsafeRawBufferPointer(kept)
        meter?.added(byteCount)
    }

    deinit {
        bytes.deallocate()
        meter?.removed(bytes.count)
    }

    /// A copy of `bytes`.
    package convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
    }

    package convenience init(_ bytes: [UInt8], meter: (any PayloadMeter)? = nil) {
        self.init(byteCount: bytes.count, meter: meter) { $0.copyBytes(from: bytes) }
    }

    package var count: Int { bytes.count }
}

extension Payload: Equatable {
    package static func == (left: Payload, right: Payload) -> Bool {
        left === right || left.bytes.elementsEqual(right.bytes)
    }
}
