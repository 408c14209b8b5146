import CaretWire

/// `GET /events/NAME` and `GET /events`: a response that does not end, with each change as an event.
struct Watching: Exchange {
    private let request: ClientMessage
    private let hasPeers: Bool

    /// The changes of a document. The client may have a version of it already.
    init(_ document: WireString, _ head: RequestHead, _ query: Query) throws(WebRefusal) {
        hasPeers = try query.choice("peers", ["0", "1"]) == "1"
        let squash = try query.choice("squash", ["0", "1"]) == "1"
        // A browser repeats the same query when it connects again, so the version in the field is newer.
        let last = head.fields["last-event-id"].first.flatMap {
            EntityTag(String(decoding: $0, as: UTF8.self))
        }
        let from = try query.version("from")
        let known = last ?? from
        request = .open(
            Open(
                document: document,
                resume: known.map { WirePosition(epoch: $0.epoch, revision: $0.revision) }, mode: .watch,
                squash: squash))
    }

    /// The documents with a prefix.
    init(documentsWithPrefix prefix: WireString?) {
        hasPeers = false
        request = .follow(Follow(prefix: prefix))
    }

    mutating func begin() -> ExchangeStep { .send(request) }

    mutating func received(_ answer: ServerLine) -> ExchangeStep {
        switch answer.message {
        case .opened(let opened):
            .stream(EventWriter.Form(epoch: opened.epoch, hasPeers: hasPeers), answer)
        case .document, .done: .stream(EventWriter.Form(epoch: nil, hasPeers: false), answer)
        default: .wait
        }
    }
}
