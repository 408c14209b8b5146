package import CaretRooms

extension PushForm {
    /// All bytes together.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        forEachPart { bytes.append(contentsOf: $0) }
        return bytes
    }
}
