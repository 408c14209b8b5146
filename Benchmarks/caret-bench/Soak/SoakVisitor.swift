import Glibc
import TestSupport

/// Runs one client after the other, with requests of every kind. Confined to one queue.
struct SoakVisitor {
    /// The work of all clients.
    struct Tally {
        var clients = 0
        var documents = 0
        var pushes = 0
        /// Refusals by code. A request is refused if another client has renamed or deleted the document.
        var refusals: [String: Int] = [:]

        static func += (all: inout Tally, one: Tally) {
            all.clients += one.clients
            all.documents += one.documents
            all.pushes += one.pushes
            all.refusals.merge(one.refusals, uniquingKeysWith: +)
        }
    }

    /// An open document.
    private struct OpenedDocument {
        let name: String
        let epoch: String
        /// The revision of the client's last push, or the revision when it opened the document.
        var base: Int
        var seq = 0
    }

    let number: Int
    let port: UInt16
    private var tally = Tally()
    private var random: Seeded
    private var clientCount = 0

    /// The number of documents that all visitors share.
    static let shared = 24

    init(_ number: Int, port: UInt16, seed: UInt64) {
        (self.number, self.port) = (number, port)
        random = Seeded(seed &* 1_000 &+ UInt64(truncatingIfNeeded: number))
    }

    static func name(of shared: Int) -> String { "soak/\(shared)" }

    /// Deletes all documents that visitors share.
    static func clearShared(port: UInt16) {
        var visitor = SoakVisitor(.max, port: port, seed: 0)
        let link = visitor.connectedClient("cleaner")
        for number in 0..<shared { visitor.ask(link, "delete", #","doc":"\#(name(of: number))""#) }
    }

    /// Runs a client from connect to disconnect. It deletes its own documents.
    mutating func runClient() -> Tally {
        clientCount += 1
        tally = Tally()
        let link = connectedClient("client")
        // The silent client subscribes to documents and to the list but never reads. So the server still has
        // unsent output for it when it disconnects.
        let silent = connectedClient("silent")
        silent.send("follow")
        var documents: [OpenedDocument] = []
        for _ in 0..<random.number(1...3) {
            let name = SoakVisitor.name(of: random.number(0...SoakVisitor.shared - 1))
            silent.send("open", #","doc":"\#(name)","create":true"#)
            if let document = opened(name, link) { documents.append(document) }
        }
        let own = "own/\(number)/\(clientCount % 50)"
        if let document = opened(own, link) { documents.append(document) }
        tally.documents += 1
        for _ in 0..<random.number(5...40) where !documents.isEmpty {
            work(at: &documents[random.number(0...documents.count - 1)], link)
            usleep(UInt32(random.number(100...3_000)))
        }
        clear(own, link)
        if random.chance(50), let document = documents.first {
            ask(link, "close", #","doc":"\#(document.name)""#)
        }
        silent.end(random.chance(50) ? .leaves : .isCut)
        link.end(random.pick(SoakLink.End.allCases))
        return tally
    }

    private mutating func connectedClient(_ role: String) -> SoakLink {
        let link = SoakLink(port: port)
        let named =
            #","protocol":1,"client":"soak-\#(role)-\#(number)-\#(clientCount)","info":{"name":"\#(role)"}"#
        ask(link, "hello", named)
        tally.clients += 1
        return link
    }

    private mutating func opened(_ name: String, _ link: SoakLink) -> OpenedDocument? {
        let answer = ask(link, "open", #","doc":"\#(name)","create":true"#)
        guard let base = answer.number(of: "rev"), let epoch = answer.word(of: "epoch") else { return nil }
        return OpenedDocument(name: name, epoch: epoch, base: base)
    }

    private mutating func work(at document: inout OpenedDocument, _ link: SoakLink) {
        let named = #","doc":"\#(document.name)""#
        switch random.number(0...99) {
        case 0..<45: push(#""edits":[{"range":[0,0],"text":"\#(letters(1...40))"}]"#, at: &document, link)
        case 45..<60: push(#""text":"\#(letters(0...4_000))""#, at: &document, link)
        case 60..<80: link.send("select", named + #","rev":\#(document.base),"selections":[[0,0]]"#)
        case 80..<85: ask(link, "read", named)
        case 85..<90: ask(link, "history", named + #","limit":20"#)
        case 90..<93: ask(link, "list", #","limit":50"#)
        case 93..<95: ask(link, "follow", #","prefix":"own/""#)
        case 95..<97: ask(link, "read", #","doc":"nowhere""#)
        case 97..<98: ask(link, "delete", #","doc":"\#(SoakVisitor.name(of: 0))""#)
        default:
            ask(link, "close", named)
            if let again = opened(document.name, link) {
                document = OpenedDocument(
                    name: document.name, epoch: again.epoch, base: again.base, seq: document.seq)
            }
        }
    }

    private mutating func push(_ content: String, at document: inout OpenedDocument, _ link: SoakLink) {
        document.seq += 1
        let place =
            #","doc":"\#(document.name)","epoch":"\#(document.epoch)","base":\#(document.base),"seq":\#(document.seq)"#
        let answer = ask(link, "push", place + "," + content)
        tally.pushes += 1
        if answer.error == nil, let revision = answer.number(of: "rev") { document.base = revision }
    }

    /// Renames a document, and deletes it.
    private mutating func clear(_ name: String, _ link: SoakLink) {
        let moved = name + "/moved"
        let answer = ask(link, "rename", #","doc":"\#(name)","to":"\#(moved)""#)
        ask(link, "delete", #","doc":"\#(answer.error == nil ? moved : name)""#)
    }

    @discardableResult
    private mutating func ask(_ link: SoakLink, _ type: String, _ members: String) -> SoakAnswer {
        let answer = link.ask(type, members)
        if let error = answer.error { tally.refusals[error, default: 0] += 1 }
        return answer
    }

    private mutating func letters(_ count: ClosedRange<Int>) -> String {
        String(
            repeating: random.pick(["a", "ä ", "word ", #"line\n"#, "😀"]), count: random.number(count) / 4)
    }
}
