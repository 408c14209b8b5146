import Foundation

/// The files in `Tests/Fixtures/wire`.
enum WireFixture {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/wire")

    /// The lines of a file, without the comments.
    static func lines(of name: String) throws -> [String] {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The bytes that an entry of `json.txt` describes.
    static func bytes(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let open = rest.firstIndex(of: "⟨"), let close = rest[open...].firstIndex(of: "⟩") {
            bytes += Array(rest[..<open].utf8)
            let inside = rest[rest.index(after: open)..<close]
            if let times = inside.firstIndex(of: "×") {
                let repeated = Array(inside[inside.index(after: times)...].utf8)
                for _ in 0..<(Int(inside[..<times]) ?? 0) { bytes += repeated }
            } else {
                bytes += inside.split(separator: " ").compactMap { UInt8($0, radix: 16) }
            }
            rest = rest[rest.index(after: close)...]
        }
        return bytes + Array(rest.utf8)
    }
}
