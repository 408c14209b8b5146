import Foundation
import Testing

/// The description that the server sends of its requests over HTTP, compared with what it does.
@Suite("The OpenAPI file of the server", .onOwnThread) struct OpenAPITests {
    private typealias Object = [String: Any]

    @Test("names the methods and the parameters that each resource has")
    func requests() throws {
        let client = try LineClient(try LiveServer())
        let answer = try client.fetch("GET /openapi.json")
        #expect(answer.status == 200 && answer.fields["content-type"] == "application/json")
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let own = try Data(contentsOf: root.appending(path: "Sources/CaretPage/openapi.json"))
        try #require(answer.bytes == Array(own))
        let file = try #require(try JSONSerialization.jsonObject(with: own) as? Object)
        let paths = try #require(file["paths"] as? [String: [String: Object]])
        #expect(paths.count > 10)
        for (path, operations) in paths {
            let path = path.replacing("{name}", with: "notes").replacing("{number}", with: "1")
            let allowed = try client.fetch("OPTIONS \(path)").fields["allow"]?.split(separator: ", ") ?? []
            // HEAD and OPTIONS follow from the others, so the file leaves them out.
            let described = operations.keys.map { Substring($0.uppercased()) }
            #expect(Set(allowed).subtracting(["HEAD", "OPTIONS"]) == Set(described), "\(path)")
            if path == "/healthz" { continue }
            for (method, operation) in operations {
                let parameters = try #require(operation["parameters"] as? [Object])
                let names = parameters.filter { $0["in"] as? String == "query" }
                    .compactMap { $0["name"] as? String }
                // The refusal of an unknown parameter lists all that there are, or says "none".
                let refusal = try client.fetch("\(method.uppercased()) \(path)?misspelled=1")
                #expect(refusal.status == 400)
                let list = refusal.body.split(separator: "; it has ").last?.prefix { $0 != "\"" } ?? ""
                let listed = list == "none" ? [] : Set(list.split(separator: ", ").map(String.init))
                #expect(listed == Set(names), "\(method) \(path)")
            }
        }
    }
}
