import CaretClient
import CaretWire

/// Creates a document, and never changes an existing one.
struct New: Subcommand {
    static let description = CommandDescription(
        "new", "creates a document, which is empty or has the text of a file",
        details: """
            If the document exists already, the command fails and changes nothing. `caret put --create` saves a text whether \
            or not the document exists.
            """,
        arguments: [
            Argument("DOC", .document, "the name of the new document"),
            Argument("FILE", .file, isOptional: true, "the file with its text; - for standard input"),
        ])

    private let document: String
    private let file: String?

    init(_ arguments: Arguments) throws(UsageFault) {
        document = try arguments.document(0)
        file = arguments.optional(1)
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let text = try file.map { try TextFile.text(at: $0) } ?? ""
        let ack = try await context.withClient(about: document) { try await create(text, $0) }
        if context.isJSON {
            context.show(.object(["doc": .text(document), "rev": .number(ack.revision.value)]))
        } else {
            context.output.write("\(document.printable): created, at revision \(ack.revision.value)\n")
        }
        return .done
    }

    private func create(_ text: String, _ client: LiveClient) async throws -> Ack {
        if try await exists(client) { throw exists }
        // If another client creates the document at this moment, `exact` keeps its text unchanged.
        let push = Push(
            document: WireString(document), epoch: nil, base: 0, seq: client.nextPushNumber(),
            content: .text(WireString(text)), create: true, exact: true)
        do {
            guard case .ack(let ack) = try await client.request(.push(push)) else {
                throw ConnectionFault.lost(client.address, reason: "the server's answer is not an ack")
            }
            return ack
        } catch let refusal as ServerRefusal where New.saysThatItExists(refusal) {
            throw exists
        }
    }

    private func exists(_ client: LiveClient) async throws -> Bool {
        do {
            _ = try await client.read(document, at: .revision(0))
            return true
        } catch let refusal as ServerRefusal where refusal.code == .notFound {
            return false
        } catch let refusal as ServerRefusal where refusal.code == .baseTrimmed {
            return true
        }
    }

    private static func saysThatItExists(_ refusal: ServerRefusal) -> Bool {
        refusal.code == .baseBehind || refusal.code == .epochChanged
    }

    private var exists: Failure {
        Failure(
            "\(document.printable): the document exists already; nothing was changed",
            advice: "`caret put \(document.printable)` saves a new text")
    }
}
