/// The clients of a server in a benchmark, and how they write.
struct Crowd: Sendable {
    enum Pace: Sendable {
        /// Each writer pushes again after its ack.
        case acked
        /// The first writer pushes again after all clients have the previous push.
        case delivered
        /// Each writer pushes this many nanoseconds after its previous push, or after the ack if that comes
        /// later.
        case every(Double)
        /// Each writer pushes after a time of its own, which is this many nanoseconds in the mean, and at least half of
        /// that, as people do who type.
        case typing(Double)
    }

    var documents = 1
    var transport = Transport.lines
    /// The writers of each document. Writers also receive the document's changes, as subscribers do.
    var writers = 1
    var subscribers = 0
    var pace = Pace.acked
    /// The bytes of an edit's text. An edit of one byte is an insertion. A longer edit replaces as many bytes
    /// as it inserts.
    var letters = 1
    /// Gives the last client a small receive buffer, so that the server soon notices when it stops reading.
    var lastHasSmallReceiveBuffer = false

    var members: Int { writers + subscribers }
    /// The letters that identify writers in their texts.
    static let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    /// The bytes of a document before the first push.
    static let textBytes = 10_000

    /// The offset where a writer writes. It differs for each writer, and is never the beginning of the text.
    static func offset(of writer: Int) -> Int { writer * 100 + 50 }

    static func name(of document: Int) -> String { "bench/\(document)" }
}
