import CaretFormat
import CaretLog

/// The readers of the connection that reads. Each class of calls has its own one, so that the last segments of a history
/// stay in memory for its next page while others read.
struct Readers {
    typealias Reader = HistoryReader<Lane>

    let lane: Lane
    private var short: Reader
    private var long: Reader
    var upkeep: UpkeepReader<Lane>

    init(_ lane: Lane) {
        let cache = HistoryCache()
        func reader() -> Reader { Reader(SQLRows(lane, lane.shared.generation), cache: cache) }
        self.lane = lane
        (short, long, upkeep) = (reader(), reader(), UpkeepReader(reader()))
    }

    subscript(callClass: CallClass) -> Reader {
        get {
            switch callClass {
            case .short: short
            case .long: long
            case .upkeep: upkeep.reader
            }
        }
        _modify {
            switch callClass {
            case .short: yield &short
            case .long: yield &long
            case .upkeep: yield &upkeep.reader
            }
        }
    }

    /// Drops what is in memory of a document's history, because the history was rewritten.
    mutating func forgetHistory(of document: DocumentID) {
        for callClass in CallClass.allCases { self[callClass].forgetHistory(of: document) }
    }
}
