import Foundation
import TestSupport
import Testing

@Suite("The JavaScript client for npm", .onOwnThread) struct ClientPackageTests {
    /// The version in the package.
    private static func version() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let description = try String(
            contentsOf: root.appending(path: "Clients/javascript/package.json"), encoding: .utf8)
        return String(try #require(description.firstMatch(of: /"version": "([^"]+)"/)).1)
    }

    @Test("the server sends it without a token, at an address with its version")
    func package() throws {
        let client = try LineClient(try LiveServer(["--require-tokens": "true"]))
        let version = try Self.version()
        let found = try client.fetch("GET /caret-\(version).tgz", "Sec-Fetch-Site: cross-site")
        #expect(found.status == 200 && found.fields["content-type"] == "application/gzip")
        let files = String(decoding: try Gzip.decompressed(found.bytes), as: UTF8.self)
        #expect(files.contains("package/caret.wasm\0") && files.contains(#""version": "\#(version)""#))
        let tag = try #require(found.fields["etag"])
        #expect(try client.fetch("HEAD /caret-\(version).tgz", "If-None-Match: \(tag)").status == 304)
        #expect(try client.fetch("GET /caret-\(version)0.tgz").status == 404)
        #expect(try !client.fetch("GET /page/files.json").body.contains(".tgz"))
    }
}
