import CaretLog

/// A plan as text. The first lines name the seed and the clients; each later line is a step. `#` begins a
/// comment.
extension Plan {
    var text: String {
        var lines = ["seed \(seed)"]
        if nodes > 1 { lines.append("nodes \(nodes)") }
        for kind in clients { lines.append("client \(kind.rawValue)") }
        lines += steps.map(\.text)
        return lines.joined(separator: "\n") + "\n"
    }

    struct Unreadable: Error, CustomStringConvertible {
        let line: String
        var description: String { "not a line of a plan: \(line)" }
    }

    init(text: String) throws {
        self.init(seed: 0, clients: [], steps: [])
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            var words = Words(line)
            switch words.next() {
            case "seed": seed = UInt64(try words.number())
            case "nodes": nodes = try words.number()
            case "client":
                guard let kind = Kind(rawValue: try words.word()) else {
                    throw Unreadable(line: String(line))
                }
                clients.append(kind)
            case let first?:
                guard let time = Int(first) else { throw Unreadable(line: String(line)) }
                steps.append(Step(time: time, operation: try words.operation()))
            case nil: break
            }
        }
    }
}

/// The words of a line. Text between quotation marks is one word.
struct Words {
    private let line: String
    private var words: [String] = []
    private var place = 0

    init(_ line: Substring) {
        self.line = String(line)
        var (word, isQuoted, isEscaped) = ("", false, false)
        for scalar in line.unicodeScalars {
            if isEscaped || isQuoted {
                word.unicodeScalars.append(scalar)
                if scalar == "\"", !isEscaped { isQuoted = false }
                isEscaped = scalar == "\\" && !isEscaped
            } else if scalar == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.unicodeScalars.append(scalar)
                isQuoted = scalar == "\""
            }
        }
        if !word.isEmpty { words.append(word) }
    }

    var fault: Plan.Unreadable { Plan.Unreadable(line: line) }

    mutating func next() -> String? {
        guard place < words.count else { return nil }
        place += 1
        return words[place - 1]
    }

    mutating func word() throws -> String {
        guard let word = next() else { throw fault }
        return word
    }

    mutating func number() throws -> Int {
        guard let number = Int(try word()) else { throw fault }
        return number
    }

    mutating func name() throws -> Int {
        let word = try word()
        guard let index = Plan.names.firstIndex(where: { $0.utf8.elementsEqual(word.utf8) }) else {
            throw fault
        }
        return index
    }

    mutating func kind<Kind: RawRepresentable<String>>(_ type: Kind.Type) throws -> Kind {
        guard let kind = Kind(rawValue: try word()) else { throw fault }
        return kind
    }
}

/// Quoted texts in plans. Every character that is not printable ASCII is escaped.
enum Quoted {
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value >= 0x20 && scalar.value < 0x7F: result.unicodeScalars.append(scalar)
            default: result += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result + "\""
    }

    /// The text between the quotes; nil if `quoted` is not a quoted text.
    static func text(_ quoted: Substring) -> String? {
        guard quoted.utf8.count >= 2, quoted.utf8.first == UInt8(ascii: "\"") else { return nil }
        var result = String.UnicodeScalarView()
        var scalars = quoted.unicodeScalars.dropFirst().dropLast()
        while let scalar = scalars.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            switch scalars.popFirst() {
            case "n": result.append("\n")
            case "u":
                let digits = scalars.dropFirst().prefix { $0 != "}" }
                scalars.removeFirst(digits.count + 2)
                guard let value = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(value) else {
                    return nil
                }
                result.append(scalar)
            case let plain?: result.append(plain)
            case nil: return nil
            }
        }
        return String(result)
    }
}
