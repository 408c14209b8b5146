import CaretWire
import Foundation
import TestSupport
import Testing

/// The page docs/protocol/messages.md, read as a specification.
struct MessagesPage: Sendable {
    let messages: [Message]

    init() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/messages.md")
        let page = MarkdownPage(try String(contentsOf: path, encoding: .utf8))
        let headings = page.blocks.map(\.heading)
        messages = try headings.indices.filter { headings.firstIndex(of: headings[$0]) == $0 }.map { index in
            let tables = page.tables.filter { $0.heading == headings[index] }
            let lines = page.blocks.filter { $0.heading == headings[index] }.flatMap(\.lines)
            return Message(
                type: headings[index], fields: try tables.flatMap(\.rows).map { try Field($0) },
                examples: try lines.map { try Example($0) })
        }
    }

    struct Unreadable: Error { let what: String }

    /// A heading of the page, with its table and examples.
    struct Message: CustomTestStringConvertible, Sendable {
        let type: String
        let fields: [Field]
        let examples: [Example]

        var testDescription: String { type }

        /// Every place in the examples where a field of the table occurs.
        var occurrences: [(Field, Example, [Step])] {
            fields.flatMap { field in
                examples.flatMap { example in
                    example.paths(to: field.path).map { (field, example, $0) }
                }
            }
        }
    }

    /// A step to a value inside a message. `each` stands for every element of an array.
    enum Step: Equatable, Sendable {
        case key(String)
        case index(Int)
        case each
    }
}

extension MessagesPage {
    /// A row of a table.
    struct Field: Sendable {
        /// The name as on the page, such as `edits[].range`.
        let name: String
        let type: String
        let required: String
        let limit: String

        init(_ row: [String]) throws {
            guard row.count == 5 else { throw Unreadable(what: "\(row)") }
            name = row[0].replacing("`", with: "")
            (type, required, limit) = (row[1], row[2], row[3])
        }

        var path: [Step] {
            name.split(separator: ".").flatMap { part -> [Step] in
                part.hasSuffix("[]") ? [.key(String(part.dropLast(2))), .each] : [.key(String(part))]
            }
        }

        /// The last part of the name, which an error message contains.
        var lastName: String { name.split(separator: ".").last.map(String.init) ?? name }

        /// Values of other types than the field's type.
        func wrongValues() throws -> [Any] {
            let others: [Any]
            switch type {
            case "string": others = [5, true]
            case "integer": others = ["5", 1.5, -1]
            case "boolean": others = ["true", 1]
            case "object": others = [5, [Any]()]
            case "pair": others = [[1], [1, 2, 3], ["1", "2"], 5]
            case "array of strings": others = ["a", [5]]
            case "array of pairs": others = [5, [[1]]]
            case "array of edits", "array of objects": others = [5, [5]]
            case let words where words.hasPrefix("`\""): others = [5, "no such word"]
            default: throw Unreadable(what: "the type \(type) of \(name)")
            }
            return others + [NSNull()]
        }

        /// The smallest and the largest value that the field's limit allows.
        private func bounds() throws -> (least: Int?, most: Int, unit: String)? {
            if limit.isEmpty { return nil }
            let plain = limit.replacing(",", with: "")
            if let match = plain.wholeMatch(of: /at most (\d+) (bytes|elements)/), let most = Int(match.1) {
                return (nil, most, String(match.2))
            }
            if let match = plain.wholeMatch(of: /(\d+) to (\d+)( bytes)?/), let least = Int(match.1),
                let most = Int(match.2)
            {
                return (least, most, match.3 == nil ? "" : "bytes")
            }
            throw Unreadable(what: "the limit \(limit) of \(name)")
        }

        /// Values at the field's limit.
        func extremes() throws -> [Any] {
            guard let (least, most, unit) = try bounds() else { return [] }
            return try [least, most].compactMap { $0 }.map { try value(of: $0, unit) }
        }

        /// Values one beyond the field's limit.
        func excesses() throws -> [Any] {
            guard let (least, most, unit) = try bounds() else { return [] }
            return try [least.map { $0 - 1 }, most + 1].compactMap { $0 }.map { try value(of: $0, unit) }
        }

        private func value(of count: Int, _ unit: String) throws -> Any {
            switch (type, unit) {
            case ("integer", ""): return count
            case ("string", "bytes"): return String(repeating: "a", count: count)
            case ("object", "bytes"): return ["a": String(repeating: "a", count: count - 8)]
            case ("array of edits", "elements"):
                return [Any](repeating: ["range": [0, 0], "text": "a"] as [String: Any], count: count)
            case ("array of pairs", "elements"): return [Any](repeating: [0, 0], count: count)
            case ("array of objects", "elements"):
                return [Any](repeating: ["rights": "read", "doc": "a"], count: count)
            default: throw Unreadable(what: "the limit \(limit) of \(name), \(type)")
            }
        }
    }
}

extension MessagesPage {
    /// A line that the page shows.
    struct Example: Sendable {
        let line: String
        let isFromClient: Bool

        init(_ shown: String) throws {
            guard shown.hasPrefix("> ") || shown.hasPrefix("< ") else { throw Unreadable(what: shown) }
            try self.init(line: Array(shown.dropFirst(2).utf8), isFromClient: shown.hasPrefix(">"))
        }

        init(line: [UInt8], isFromClient: Bool) throws {
            self.line = String(decoding: line, as: UTF8.self)
            self.isFromClient = isFromClient
            if object.isEmpty { throw Unreadable(what: self.line) }
        }

        /// The fields of the line; empty if the line is not an object.
        private var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
        }

        private init(_ object: [String: Any], isFromClient: Bool) throws {
            self.isFromClient = isFromClient
            line = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }

        var type: String { object["type"] as? String ?? "" }

        /// The decoder's error for the line; nil if the line is valid.
        func fault() throws -> String? {
            var decoder = MessageDecoder()
            do throws(WireFault) {
                if isFromClient {
                    _ = try decoder.clientMessage(Array(line.utf8))
                } else {
                    _ = try decoder.serverMessage(Array(line.utf8))
                }
                return nil
            } catch {
                return error.message
            }
        }

        /// The names of all fields in the line, in the form of the tables. Fields inside `info` are left out,
        /// because the client defines them.
        var fieldNames: [String] {
            func names(in value: Any, _ prefix: String) -> [String] {
                if let array = value as? [Any] { return array.flatMap { names(in: $0, prefix + "[]") } }
                guard let object = value as? [String: Any] else { return [] }
                return object.flatMap { key, value -> [String] in
                    let name = prefix.isEmpty ? key : "\(prefix).\(key)"
                    return [name] + (key == "info" ? [] : names(in: value, name))
                }
            }
            return names(in: object, "").filter { $0 != "type" && $0 != "id" }
        }

        /// All paths that match `path` in the line, one for each array element on the way.
        func paths(to path: [Step]) -> [[Step]] {
            func paths(in value: Any?, _ rest: ArraySlice<Step>, _ done: [Step]) -> [[Step]] {
                guard let value else { return [] }
                switch rest.first {
                case nil: return [done]
                case .key(let key):
                    return paths(in: (value as? [String: Any])?[key], rest.dropFirst(), done + [.key(key)])
                case .index, .each:
                    let elements = value as? [Any] ?? []
                    return elements.indices.flatMap {
                        paths(in: elements[$0], rest.dropFirst(), done + [.index($0)])
                    }
                }
            }
            return paths(in: object, path[...], [])
        }

        func removing(_ path: [Step]) throws -> Example { try replacing(path, by: nil) }

        func setting(_ path: [Step], to value: Any) throws -> Example { try replacing(path, by: value) }

        private func replacing(_ path: [Step], by value: Any?) throws -> Example {
            func replaced(_ old: Any?, _ rest: ArraySlice<Step>) -> Any? {
                switch rest.first {
                case nil, .each: return value
                case .key(let key):
                    var object = old as? [String: Any] ?? [:]
                    object[key] = replaced(object[key], rest.dropFirst())
                    return object
                case .index(let index):
                    var array = old as? [Any] ?? []
                    if array.indices.contains(index), let new = replaced(array[index], rest.dropFirst()) {
                        array[index] = new
                    }
                    return array
                }
            }
            guard let object = replaced(object, path[...]) as? [String: Any] else {
                throw Unreadable(what: "\(path) in \(line)")
            }
            return try Example(object, isFromClient: isFromClient)
        }
    }
}
