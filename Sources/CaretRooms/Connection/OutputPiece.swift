/// A part of what a connection sends.
package enum OutputPiece: Equatable, Sendable {
    case bytes([UInt8])
    case shared(Payload)

    package init(_ bytes: [UInt8]) { self = .bytes(bytes) }

    package var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .shared(let payload): payload.count
        }
    }
}
