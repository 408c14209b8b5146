import CaretTLS

/// The bytes of a file of keys, and its permissions.
struct KeyFile {
    /// The largest file that is read, in bytes. A key has at most some hundred.
    static let limit = 64 << 10

    let text: [UInt8]
    private let path: String
    private let found: SmallFile.Contents

    init(_ path: String) throws(TokenKeysFault) {
        self.path = path
        var text = [UInt8](repeating: 0, count: KeyFile.limit + 1)
        let result = text.withUnsafeMutableBytes { buffer in
            Result { () throws(SmallFile.Fault) in try SmallFile.read(path, into: buffer) }
        }
        do throws(SmallFile.Fault) { found = try result.get() } catch {
            throw TokenKeysFault(.unreadable(reason: error.reason))
        }
        if found.count > KeyFile.limit { throw TokenKeysFault(.tooLarge) }
        self.text = Array(text[..<found.count])
    }

    /// Refuses a file with a secret that other users may read.
    func checkIsPrivate() throws(TokenKeysFault) {
        if found.isOpenToOthers { throw TokenKeysFault(.readableByOthers(path: path, mode: found.mode)) }
    }
}
