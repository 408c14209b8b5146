import CaretLog
import CaretWire

/// The names of users, clients and documents.
enum Names {
    static func user(of client: Int) -> ByteString { ByteString("user-\(client / 2)") }

    static func client(_ client: Int) -> ByteString { ByteString("client-\(client)") }

    static func pusher(_ client: Int) -> Pusher {
        Pusher(user: user(of: client), client: self.client(client))
    }

    /// The pusher of another node.
    static let elsewhere = Pusher(user: "elsewhere", client: "elsewhere")

    static func publicClient(_ pusher: Pusher) -> WireString { WireString("p-" + pusher.client.string) }

    static let documents: [WireString] = Plan.names.map { WireString($0) }

    static let parsed: [DocumentName] = Plan.names.map { string in
        guard let name = try? DocumentName(string) else {
            preconditionFailure("\(string) is not a valid name")
        }
        return name
    }
}

extension Digest {
    /// A digest that is not cryptographic. It is enough here, because no simulated client tries to make two
    /// pushes collide.
    init(of bytes: [UInt8]) {
        var words = SIMD4<UInt64>(14_695_981_039_346_656_037, 11, 13, 17)
        for byte in bytes {
            words = (words ^ UInt64(byte)) &* SIMD4(1_099_511_628_211, 0x9E37_79B9, 0xBF58_476D, 0x94D0_49BB)
        }
        self.init(words)
    }
}

/// A digest of everything that happened in a run, to compare two runs.
struct Trace64 {
    private(set) var value: UInt64 = 14_695_981_039_346_656_037

    mutating func add(_ number: UInt64) { value = (value ^ number) &* 1_099_511_628_211 ^ value >> 29 }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { raw in
            var place = 0
            while place + 8 <= raw.count {
                add(raw.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian)
                place += 8
            }
            while place < raw.count {
                add(UInt64(raw[place]))
                place += 1
            }
        }
        add(UInt64(bytes.count))
    }
}
