import CaretPage
import CaretStore
import CaretWeb

/// The files that the server sends to browsers, by their paths: its page and the JavaScript client.
enum BrowserFiles {
    static let byPath: [String: WebFile] = {
        // A short address for pages. The file imports the others by paths relative to its own address.
        let start = Array("export * from './caret/caret.js'\n".utf8)
        var files = ["/caret.js": file("caret/caret.js", start)]
        for index in Int32(0)... {
            let found = caret_page_file_at(index).pointee
            let name = String(cString: found.name)
            if name.isEmpty { break }
            let bytes = UnsafeBufferPointer(start: found.bytes, count: found.count)
            files[path(of: name)] = file(name, Array(bytes))
        }
        return files
    }()

    private static func path(of name: String) -> String {
        switch name {
        case "page/index.html": WebFile.pagePath
        // A service worker controls only the pages below its own path.
        case "page/service-worker.js", "page/manifest.json": String(name.dropFirst("page".count))
        default: "/\(name)"
        }
    }

    private static func file(_ name: String, _ bytes: [UInt8]) -> WebFile {
        let digits = SHA1.digest(of: bytes).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
        let compressed = Deflate.packed(bytes, as: .gzip)
        return WebFile(
            name.hasPrefix("page/") ? .ofPage : .ofClient, type: type(of: name), digest: digits.joined(),
            bytes: bytes, compressed: compressed.count < bytes.count ? compressed : nil)
    }

    private static func type(of name: String) -> String {
        if name.hasSuffix(".wasm") { return "application/wasm" }
        if name.hasSuffix(".svg") { return "image/svg+xml" }
        if name == "page/manifest.json" { return "application/manifest+json" }
        let textTypes = [".html": "text/html", ".css": "text/css", ".js": "text/javascript"]
        return "\(textTypes.first { name.hasSuffix($0.key) }?.value ?? "text/plain"); charset=utf-8"
    }
}
