import Foundation
import TestSupport
import Testing

@Suite("The packages of clients", .onOwnThread) struct ClientPackageTests {
    /// The version in the package for npm.
    private static func version() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let description = try String(
            contentsOf: root.appending(path: "Clients/javascript/package.json"), encoding: .utf8)
        return String(try #require(description.firstMatch(of: /"version": "([^"]+)"/)).1)
    }

    @Test("the server sends the package for npm without a token, at an address with its version")
    func forNPM() throws {
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

    @Test("the server sends the package for pip without a token, at an address with its version")
    func forPip() throws {
        let client = try LineClient(try LiveServer(["--require-tokens": "true"]))
        let version = try Self.version()
        let found = try client.fetch("GET /caret_client-\(version)-py3-none-any.whl")
        #expect(found.status == 200 && found.fields["content-type"] == "application/zip")
        let name = "caret_client-\(version).dist-info/METADATA"
        #expect(
            found.bytes.starts(with: Array("PK".utf8)) && found.bytes.firstRange(of: Array(name.utf8)) != nil)
        #expect(try client.fetch("GET /caret_client-\(version)0-py3-none-any.whl").status == 404)
        #expect(try !client.fetch("GET /page/files.json").body.contains(".whl"))
    }
}
