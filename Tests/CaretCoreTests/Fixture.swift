import CaretCore
import Foundation

/// A file of `Tests/Fixtures`. The README there explains the fields.
struct Fixture: Decodable {
    let kind: String
    let unit: String
    let cases: [FixtureCase]

    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    /// The names of all files, whether their kind is known or not.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.sorted()
    }

    init(named name: String) throws {
        let bytes = try Data(contentsOf: Fixture.folder.appending(path: name))
        self = try JSONDecoder().decode(Fixture.self, from: bytes)
    }
}

/// The input and the expected answer of a case of any kind.
struct FixtureCase: Decodable {
    let about: String?
    let old: String?
    let new: String?
    let text: String?
    let both: String?
    let bytes: String?
    let change: [FixtureEdit]?
    let over: [FixtureEdit]?
    let first: [FixtureEdit]?
    let second: [FixtureEdit]?
    let edits: [FixtureEdit]?
    let tie: String?
    let caret: Int?
    let selection: [Int]?
    let offset: Int?
    let from: String?
    let to: String?
    let becomes: FixtureAnswer?
    let refused: FixtureRefusal?
}

struct FixtureEdit: Decodable, Equatable {
    let range: [Int]
    let text: String

    init(_ edit: Edit) {
        range = [edit.range.lowerBound.value, edit.range.upperBound.value]
        text = edit.text
    }

    /// Compares the texts as bytes, because `==` on strings also accepts canonically equivalent texts.
    static func == (left: FixtureEdit, right: FixtureEdit) -> Bool {
        left.range == right.range && left.text.utf8.elementsEqual(right.text.utf8)
    }
}

/// The answer of a case.
enum FixtureAnswer: Decodable, Equatable, CustomStringConvertible {
    case change([FixtureEdit])
    case offset(Int)
    case selection([Int])
    case text([UInt8])
    case lengths([String: Int])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // Tries one kind of answer after the other. If the last one fails too, throws.
        if let change = try? value.decode([FixtureEdit].self) {
            self = .change(change)
        } else if let selection = try? value.decode([Int].self) {
            self = .selection(selection)
        } else if let offset = try? value.decode(Int.self) {
            self = .offset(offset)
        } else if let text = try? value.decode(String.self) {
            self = .text(Array(text.utf8))
        } else {
            self = .lengths(try value.decode([String: Int].self))
        }
    }

    init(_ change: Change) { self = .change(change.edits.map { FixtureEdit($0) }) }

    init(_ text: TextBuffer) { self = .text(Array(text.string.utf8)) }

    init(_ selection: Selection) { self = .selection([selection.anchor.value, selection.head.value]) }

    init(_ length: TextLength) {
        self = .lengths(["utf-8": length.utf8, "utf-16": length.utf16, "utf-32": length.scalars])
    }

    var description: String {
        switch self {
        case .change(let edits): "\(edits.map { "\($0.range) \(readable($0.text))" })"
        case .offset(let offset): "\(offset)"
        case .selection(let places): "\(places)"
        case .text(let bytes): readable(String(decoding: bytes, as: UTF8.self))
        case .lengths(let lengths): "\(lengths.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })"
        }
    }
}

/// The expected refusal of a case that has no answer.
struct FixtureRefusal: Decodable, Error, Equatable, CustomStringConvertible {
    let code: String
    let edit: Int?
    let numbers: [Int]?

    init(code: String, edit: Int? = nil, numbers: [Int]? = nil) {
        self.code = code
        self.edit = edit
        self.numbers = numbers
    }

    init(_ error: TextError, edit: Int? = nil) {
        switch error {
        case .invalidUTF8(let byte): self.init(code: "invalidUTF8", edit: edit, numbers: [byte])
        case .carriageReturn(let byte): self.init(code: "carriageReturn", edit: edit, numbers: [byte])
        case .outside(let offset, let end): self.init(code: "outside", edit: edit, numbers: [offset, end])
        case .insideScalar(let offset): self.init(code: "insideScalar", edit: edit, numbers: [offset])
        }
    }

    init(_ error: ChangeError) {
        switch error {
        case .outOfOrder(let edit): self.init(code: "outOfOrder", edit: edit)
        case .misplaced(let edit, let reason): self.init(reason, edit: edit)
        }
    }

    var description: String { "\(code) \(numbers ?? [])" + (edit.map { " in edit \($0)" } ?? "") }
}
