import CaretConfig
import CaretFormat
import CaretPage
import CaretWeb

/// The files that the server sends, by their paths: its page, the JavaScript client, and the packages of clients.
enum BrowserFiles {
    /// Without a path of tokens, all servers of a process have the same files.
    private static let usual = make(tokenPath: "")

    /// `tokenPath` is where the page gets its tokens; empty if its users enter them.
    static func byPath(tokenPath: String) -> [String: WebFile] {
        tokenPath.isEmpty ? usual : make(tokenPath: tokenPath)
    }

    private static func make(tokenPath: String) -> [String: WebFile] {
        var files: [String: WebFile] = [:]
        var digests: [(path: String, digest: String)] = []
        for index in Int32(0)... {
            let found = caret_page_file_at(index).pointee
            let name = String(cString: found.name)
            if name.isEmpty { break }
            var bytes = Array(UnsafeBufferPointer(start: found.bytes, count: found.count))
            if name == page, !tokenPath.isEmpty { bytes = naming(tokenPath, in: bytes) }
            let digest = hexDigest(of: bytes)
            let file = file(name, bytes, digest)
            for path in paths(of: name) {
                files[path] = file
                if !notForPage.contains(path) { digests.append((path, digest)) }
            }
        }
        let list = fileList(digests)
        files["/page/files.json"] = file("page/files.json", list, hexDigest(of: list))
        return files
    }

    private static let page = "bundle/index.html"

    /// The HTML of the page with an element that names the path of its tokens. The page is thus another file, with another
    /// digest, so browsers and service workers notice a new configuration like a new version.
    private static func naming(_ tokenPath: String, in html: [UInt8]) -> [UInt8] {
        let element = "<meta name=\"caret-token-path\" content=\"\(tokenPath)\">\n</head>"
        let text = String(decoding: html, as: UTF8.self)
        return Array(text.replacing("</head>", with: element, maxReplacements: 1).utf8)
    }

    /// The page loads none of these, and a service worker must never keep its own file.
    private static let notForPage: Set = [
        "/service-worker.js", "/caret.js", "/caret.wasm", "/caret/caret.js", "/caret/caret.d.ts",
        "/caret/protocol.d.ts", "/openapi.json", npmPath, wheelPath,
    ]

    /// The clients for npm and for pip. A project that names such an address gets the client of this version or nothing.
    private static let npmPath = "/caret-\(Version.number).tgz"
    private static let wheelPath = "/caret_client-\(Version.number)-py3-none-any.whl"

    /// The digests of the page's files, by path, as JSON. The service worker keeps the files for offline use, and this
    /// tells it which of them belong together.
    private static func fileList(_ digests: [(path: String, digest: String)]) -> [UInt8] {
        let members = digests.sorted { $0.path < $1.path }.map { "\"\($0.path)\": \"\($0.digest)\"" }
        return Array("{\n\(members.joined(separator: ",\n"))\n}\n".utf8)
    }

    private static func paths(of name: String) -> [String] {
        switch name {
        case page: [WebFile.pagePath]
        // The short address is the one for pages. The client finds its module beside itself.
        case "bundle/caret.js": ["/caret.js", "/caret/caret.js"]
        case "caret/caret.wasm": ["/caret.wasm", "/caret/caret.wasm"]
        case "bundle/caret.tgz": [npmPath]
        case "bundle/caret_client.whl": [wheelPath]
        // A service worker controls only the pages below its own path.
        case "page/service-worker.js", "page/manifest.json": [String(name.dropFirst("page".count))]
        case _ where name.hasPrefix(bundledPage): ["/page/\(name.dropFirst(bundledPage.count))"]
        default: ["/\(name)"]
        }
    }

    /// The names of these files contain a hash of their content.
    private static let bundledPage = "bundle/page/"

    private static func kind(of name: String) -> WebFile.Kind {
        if name.hasPrefix(bundledPage) { return .ofPageForever }
        return name.hasPrefix("page/") || name == page ? .ofPage : .ofClient
    }

    private static func hexDigest(of bytes: [UInt8]) -> String {
        SHA1.digest(of: bytes).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }

    private static func file(_ name: String, _ bytes: [UInt8], _ digest: String) -> WebFile {
        let compressed = Deflate.packed(bytes, as: .gzip)
        return WebFile(
            kind(of: name), type: type(of: name), digest: digest, bytes: bytes,
            compressed: compressed.count < bytes.count ? compressed : nil)
    }

    private static func type(of name: String) -> String {
        if name.hasSuffix(".wasm") { return "application/wasm" }
        if name.hasSuffix(".tgz") { return "application/gzip" }
        if name.hasSuffix(".whl") { return "application/zip" }
        if name.hasSuffix(".svg") { return "image/svg+xml" }
        if name.hasSuffix(".png") { return "image/png" }
        if name == "page/manifest.json" { return "application/manifest+json" }
        if name.hasSuffix(".json") { return "application/json" }
        let textTypes = [".html": "text/html", ".css": "text/css", ".js": "text/javascript"]
        return "\(textTypes.first { name.hasSuffix($0.key) }?.value ?? "text/plain"); charset=utf-8"
    }
}
