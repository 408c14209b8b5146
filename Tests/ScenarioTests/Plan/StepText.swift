import CaretLog
import CaretWire

extension Step {
    var text: String {
        switch operation {
        case .client(let client, let operation): "\(time) c\(client) \(operation.text)"
        case .world(let operation): "\(time) \(operation.text)"
        }
    }
}

private func name(_ index: Int) -> String { Plan.names[index] }

extension [Typing] {
    fileprivate var text: String {
        map {
            "\($0.place)" + ($0.removed > 0 ? "-\($0.removed)" : "")
                + ($0.text.isEmpty ? "" : Quoted.quoted($0.text))
        }
        .joined(separator: " ")
    }
}

extension ClientOperation {
    fileprivate var text: String {
        switch self {
        case .types(let at, let typings): "types \(name(at)) \(typings.text)"
        case .selects(let at, let places):
            "selects \(name(at))" + places.map { " \($0.anchor)..\($0.head)" }.joined()
        case .undoes(let at): "undoes \(name(at))"
        case .redoes(let at): "redoes \(name(at))"
        case .writes(let at, let typings, let crlf):
            "writes \(name(at)) \(crlf ? "crlf" : "lf") \(typings.text)"
        case .syncs(let at): "syncs \(name(at))"
        case .opens(let at): "opens \(name(at))"
        case .closes(let at): "closes \(name(at))"
        case .retries(let at): "retries \(name(at))"
        case .discards(let at): "discards \(name(at))"
        case .isRefused(let at, let code): "is-refused \(name(at)) \(code.rawValue)"
        case .hearsWrongCheck(let at): "hears-wrong-check \(name(at))"
        case .repeats(let at): "repeats \(name(at))"
        case .reuses(let at): "reuses \(name(at))"
        case .restarts: "restarts"
        case .reloads: "reloads"
        case .leaves: "leaves"
        case .returns: "returns"
        case .connectsAgain: "connects-again"
        case .isCut: "is-cut"
        case .vanishes: "vanishes"
        case .hearsNothing(let span): "hears-nothing \(span)"
        case .isNotHeard(let span): "is-not-heard \(span)"
        case .endsOutput: "ends-output"
        case .stopsReading(let span): "stops-reading \(span)"
        case .pings: "pings"
        case .babbles(let line): "babbles \(line.rawValue)"
        case .lists: "lists"
        case .reads(let at, let share): "reads \(name(at))" + (share.map { " \($0)" } ?? "")
        case .looksBack(let at, let share): "looks-back \(name(at)) \(share)"
        case .follows: "follows"
        case .unfollows: "unfollows"
        case .renames(let at, let to): "renames \(name(at)) \(name(to))"
        case .copies(let at, let to): "copies \(name(at)) \(name(to))"
        case .deletes(let at): "deletes \(name(at))"
        case .tags(let at, let share): "tags \(name(at)) \(share)"
        case .restores(let at, let share): "restores \(name(at)) \(share)"
        }
    }
}

extension WorldOperation {
    fileprivate var text: String {
        switch self {
        case .allows(let client, let at, let access): "allows c\(client) \(name(at)) \(access.rawValue)"
        case .revokes(let client, let span): "revokes c\(client) \(span)"
        case .store(let behaviour, let span): "store \(behaviour.rawValue) \(span)"
        case .elsewhere(let at, let typings): "elsewhere \(name(at)) \(typings.text)"
        case .trims(let at, let share): "trims \(name(at)) \(share)"
        case .damages(let at): "damages \(name(at))"
        case .renews: "renews"
        case .crashes: "crashes"
        case .stops(let span): "stops \(span)"
        case .shutsDown: "shuts-down"
        case .cutsBus(let span): "cuts-bus \(span)"
        case .keeps: "keeps"
        case .putsBack: "puts-back"
        }
    }
}

extension Words {
    mutating func operation() throws -> Operation {
        let word = try word()
        if word.hasPrefix("c"), let client = Int(word.dropFirst()) {
            return .client(client, try clientOperation())
        }
        return .world(try worldOperation(word))
    }

    private mutating func clientOperation() throws -> ClientOperation {
        switch try word() {
        case "types": .types(try name(), try typings())
        case "selects": .selects(try name(), try places())
        case "writes":
            .writes(try name(), crlf: try word() == "crlf", try typings())
        case "undoes": .undoes(try name())
        case "redoes": .redoes(try name())
        case "syncs": .syncs(try name())
        case "opens": .opens(try name())
        case "closes": .closes(try name())
        case "retries": .retries(try name())
        case "discards": .discards(try name())
        case "is-refused": .isRefused(try name(), try kind(ErrorCode.self))
        case "hears-wrong-check": .hearsWrongCheck(try name())
        case "repeats": .repeats(try name())
        case "reuses": .reuses(try name())
        case "restarts": .restarts
        case "reloads": .reloads
        case "pings": .pings
        case "babbles": .babbles(try kind(MalformedLine.self))
        case "lists": .lists
        case "reads": .reads(try name(), perMille: next().flatMap { Int($0) })
        case "looks-back": .looksBack(try name(), perMille: try number())
        case "follows": .follows
        case "unfollows": .unfollows
        case "renames": .renames(try name(), to: try name())
        case "copies": .copies(try name(), to: try name())
        case "deletes": .deletes(try name())
        case "tags": .tags(try name(), perMille: try number())
        case "restores": .restores(try name(), perMille: try number())
        case let other: try linkOperation(other)
        }
    }

    private mutating func linkOperation(_ word: String) throws -> ClientOperation {
        switch word {
        case "leaves": .leaves
        case "returns": .returns
        case "connects-again": .connectsAgain
        case "is-cut": .isCut
        case "vanishes": .vanishes
        case "hears-nothing": .hearsNothing(try number())
        case "is-not-heard": .isNotHeard(try number())
        case "ends-output": .endsOutput
        case "stops-reading": .stopsReading(try number())
        default: throw fault
        }
    }

    private mutating func worldOperation(_ word: String) throws -> WorldOperation {
        switch word {
        case "allows":
            let client = try client()
            let at = try name()
            guard let access = Access(rawValue: try number()) else { throw fault }
            return .allows(client, at, access)
        case "revokes": return .revokes(try client(), try number())
        case "store": return .store(try kind(StoreBehaviour.self), milliseconds: try number())
        case "elsewhere": return .elsewhere(try name(), try typings())
        case "trims": return .trims(try name(), perMille: try number())
        case "damages": return .damages(try name())
        case "renews": return .renews
        case "crashes": return .crashes
        case "stops": return .stops(milliseconds: try number())
        case "shuts-down": return .shutsDown
        case "cuts-bus": return .cutsBus(milliseconds: try number())
        case "keeps": return .keeps
        case "puts-back": return .putsBack
        default: throw fault
        }
    }

    private mutating func client() throws -> Int {
        let word = try word()
        guard word.hasPrefix("c"), let client = Int(word.dropFirst()) else { throw fault }
        return client
    }

    private mutating func places() throws -> [Place] {
        var places: [Place] = []
        while let word = next() {
            let ends = word.split(separator: ".").compactMap { Int($0) }
            guard ends.count == 2 else { throw fault }
            places.append(Place(anchor: ends[0], head: ends[1]))
        }
        return places
    }

    private mutating func typings() throws -> [Typing] {
        var typings: [Typing] = []
        while let word = next() { typings.append(try typing(word)) }
        return typings
    }

    private func typing(_ word: String) throws -> Typing {
        let numbers = word.prefix { $0 != "\"" }.split(separator: "-").compactMap { Int($0) }
        let start = word.utf8.firstIndex(of: UInt8(ascii: "\""))
        let text = start.map { Quoted.text(word[$0...]) } ?? ""
        guard let text, let place = numbers.first else { throw fault }
        return Typing(place: place, removed: numbers.count > 1 ? numbers[1] : 0, text: text)
    }
}

extension ClientOperation {
    fileprivate static func writes(_ at: Int, crlf: Bool, _ typings: [Typing]) -> ClientOperation {
        .writes(at, typings, crlf: crlf)
    }
}
