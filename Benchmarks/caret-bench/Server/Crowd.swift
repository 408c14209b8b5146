/// Who is at a server in a benchmark, and how they write.
struct Crowd: Sendable {
    enum Pace: Sendable {
        /// Each writer pushes again when his push is acked.
        case acked
        /// When everybody has it.
        case delivered
        /// So many nanoseconds after the push before, or when that is acked.
        case every(Double)
    }

    var documents = 1
    /// In each document; all of them have it open, as its subscribers do.
    var writers = 1
    var subscribers = 0
    var pace = Pace.acked
    /// Bytes of the text of an edit. One is inserted; more take the place of as many.
    var letters = 1
    /// The last one reads through a small buffer of the system's, so that the server soon knows when he stops.
    var lastReadsLittle = false

    var members: Int { writers + subscribers }
    /// What makes writers known in what they write.
    static let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
    /// Bytes of a document before anybody writes to it.
    static let textBytes = 10_000

    /// Where a writer writes: at a place of his own, never at the text's beginning.
    static func place(of writer: Int) -> Int { writer * 100 + 50 }

    static func name(of document: Int) -> String { "bench/\(document)" }
}
