import Foundation
import Testing

/// The lines of a file in `Tests/Fixtures/http`, as its README describes them.
struct HTTPFixture: CustomTestStringConvertible, Sendable {
    struct Unreadable: Error {
        let line: String
    }

    let name: String
    /// The expected result: the words before the name in the line of the fixture.
    let result: String
    let bytes: [UInt8]

    var testDescription: String { name }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Fixtures/http")

    static func all(in file: String) throws -> [HTTPFixture] {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try HTTPFixture($0) }
    }

    private init(_ line: Substring) throws {
        guard let match = line.wholeMatch(of: #/(\d{3}|ok.*?)  ([^:]+): (.*)/#) else {
            throw Unreadable(line: String(line))
        }
        result = try String(decoding: Self.bytes(of: match.1), as: UTF8.self)
        name = String(match.2)
        bytes = try Self.bytes(of: match.3)
    }

    private static func bytes(of text: Substring) throws -> [UInt8] {
        let repeated = text.replacing(#/\{(\d+)\*(.*?)\}/#) { match in
            String(repeating: String(match.2), count: Int(match.1) ?? 0)
        }
        var bytes: [UInt8] = []
        var rest = repeated[...].utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "0"): bytes.append(0)
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    throw Unreadable(line: String(text))
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: throw Unreadable(line: String(text))
            }
        }
        return bytes
    }

    /// Passes the bytes in pieces that end at these places. `read` returns nil if it needs more bytes.
    func read<Result>(
        cutAt cuts: [Int], _ read: (inout UnsafeRawBufferPointer) throws -> Result?
    ) rethrows -> Result? {
        var start = 0
        for end in cuts + [bytes.count] {
            let result = try bytes[start..<end].withUnsafeBytes { piece in
                var piece = piece
                return try read(&piece)
            }
            if let result { return result }
            start = end
        }
        return nil
    }

    /// Ways to cut the bytes: not at all, at each single place, and at all places.
    var allCuts: [[Int]] {
        // Long fixtures repeat one letter, so a sample of places is enough.
        let step = max(1, bytes.count / 400)
        let places = Array(stride(from: 1, to: bytes.count, by: step)) + bytes.indices.suffix(8)
        return [[], Array(bytes.indices.dropFirst())] + places.map { [$0] }
    }
}
