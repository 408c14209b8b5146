import CaretPage
import CaretWeb

/// The files of the JavaScript client, by their paths.
enum ClientFiles {
    static let byPath: [String: WebFile] = {
        var files: [String: WebFile] = [
            // A short address for pages. The file imports the others by paths relative to its own address.
            "/caret.js": file("caret.js", Array("export * from './caret/caret.js'\n".utf8))
        ]
        for index in Int32(0)... {
            let found = caret_page_file_at(index).pointee
            let name = String(cString: found.name)
            if name.isEmpty { break }
            let bytes = UnsafeBufferPointer(start: found.bytes, count: found.count)
            files["/caret/\(name)"] = file(name, Array(bytes))
        }
        return files
    }()

    private static func file(_ name: String, _ bytes: [UInt8]) -> WebFile {
        let tag = SHA1.digest(of: bytes).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
        return WebFile(type: type(of: name), tag: "\"\(tag)\"", bytes: bytes)
    }

    private static func type(of name: String) -> String {
        if name.hasSuffix(".wasm") { return "application/wasm" }
        return "\(name.hasSuffix(".js") ? "text/javascript" : "text/plain"); charset=utf-8"
    }
}
