import CaretWire
import Foundation
import TestSupport
import Testing

/// Compares the tables of docs/protocol/messages.md with what the decoder accepts.
@Suite("The tables of the page on messages") struct MessagesPageTests {
    /// Nil if the page cannot be read. The first test reports this.
    private static let page: MessagesPage? = try? MessagesPage()
    private static let messages = page?.messages ?? []

    @Test("the page has a heading for every message, and no other headings")
    func types() throws {
        let page = try MessagesPage()
        var random = Seeded(1)
        let lines =
            SampleMessages.client(&random).map { $0.line() }
            + SampleMessages.server(&random).map { $0.line() }
        let known = try Set(lines.map { try MessagesPage.Example(line: $0, isFromClient: true).type })
        #expect(Set(page.messages.map(\.type)) == known)
        #expect(page.messages.count > 50)
    }

    @Test("every example decodes, and the examples show every field of the table", arguments: messages)
    func examples(message: MessagesPage.Message) throws {
        #expect(!message.examples.isEmpty)
        for example in message.examples { #expect(try example.fault() == nil, "\(example.line)") }
        for field in message.fields {
            #expect(message.examples.contains { !$0.paths(to: field.path).isEmpty }, "\(field.name)")
        }
        for name in message.examples.flatMap(\.fieldNames) {
            #expect(message.fields.contains { $0.name == name }, "the table lacks \(name)")
        }
    }

    @Test("a message must have its required fields, and may lack the others", arguments: messages)
    func required(message: MessagesPage.Message) throws {
        for (field, example, path) in message.occurrences {
            let fault = try example.removing(path).fault()
            switch field.required {
            case "yes":
                #expect(
                    fault?.contains(field.lastName) == true, "\(field.name) is missing: \(fault ?? "fine")")
            case "no": #expect(fault == nil, "\(field.name) is missing")
            default: break
            }
        }
    }

    @Test("a value of the wrong type is refused with the name of the field", arguments: messages)
    func kinds(message: MessagesPage.Message) throws {
        for (field, example, path) in message.occurrences {
            for value in try field.wrongValues() {
                let fault = try example.setting(path, to: value).fault()
                #expect(
                    fault?.contains(field.lastName) == true, "\(field.name) is \(value): \(fault ?? "fine")")
            }
        }
    }

    @Test("a value at its limit is accepted; a value beyond the limit is refused", arguments: messages)
    func limits(message: MessagesPage.Message) throws {
        for (field, example, path) in message.occurrences {
            for value in try field.extremes() {
                #expect(try example.setting(path, to: value).fault() == nil, "\(field.name) at its limit")
            }
            for value in try field.excesses() {
                #expect(try example.setting(path, to: value).fault() != nil, "\(field.name) beyond its limit")
            }
        }
    }

    /// Rules L6 and L7.
    @Test("a field that is not in the table is ignored", arguments: messages)
    func others(message: MessagesPage.Message) throws {
        let page = try #require(Self.page)
        let names = Set(page.messages.flatMap(\.fields).filter { $0.path.count == 1 }.map(\.name))
        let own = Set(message.fields.map(\.name))
        for example in message.examples {
            for name in names.subtracting(own) {
                let fault = try example.setting([.key(name)], to: [String: Any]()).fault()
                #expect(fault == nil, "\(message.type) reads \(name), which is not in its table")
            }
        }
    }
}
