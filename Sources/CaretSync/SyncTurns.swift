package import CaretWire

/// The order in which the files of a pass are synced. Several files are in flight at once, but only one of them
/// runs at a time: it has the turn. While a file waits for the server or for the disk, another file has the turn.
///
/// Laws:
/// - The turns depend on the files and on what they wait for, but never on which answer arrives first.
/// - A file and another one below it, such as `a` and `a/b`, are never in flight together.
/// - A file that is alone runs while no other file waits for an answer.
package struct SyncTurns: Equatable, Sendable {
    package enum Bound {
        /// How many files may be in flight. A file whose reports wait for those of an earlier file counts too.
        package static let files = 32
        /// No further file begins while the files in flight have this many bytes of text together.
        package static let bytes = 8 << 20
    }

    /// Who has the next turn.
    package enum Turn: Equatable, Sendable {
        case begin(Int)
        case resume(Int)
        /// All files are done.
        case end
    }

    private enum Stage: Equatable {
        case running
        case waiting
        case waitingToBeAlone
        case alone
        case done
    }

    package let paths: [WireString]
    /// How many files have begun. Files begin in the order of `paths`.
    package private(set) var begun = 0
    /// The first file that is not done.
    package private(set) var oldest = 0
    /// The file that has the turn.
    package private(set) var running: Int?
    /// The stages of the files in flight.
    private var stages: [Int: Stage] = [:]
    /// The files that wait for the server or the disk. The first one has waited longest.
    private var queue: [Int] = []
    /// How many bytes of text each file in flight has.
    private var bytes: [Int: Int] = [:]

    package init(_ paths: [WireString]) { self.paths = paths }

    /// How many files are in flight.
    package var inFlight: Int { begun - oldest }

    /// Gives the first turn.
    package mutating func begin() -> Turn { next() }

    /// The file with the turn waits for an answer. `count` says how many bytes of text the file and the answer
    /// have; nil if this has not changed.
    package mutating func waits(_ file: Int, holding count: Int? = nil) -> Turn {
        precondition(running == file, "the file \(file) waits without the turn")
        if let count { bytes[file] = count }
        if stages[file] == .alone { return .resume(file) }
        stages[file] = .waiting
        queue.append(file)
        return next()
    }

    /// The file with the turn must run alone. Nil if it is alone already.
    package mutating func waitsToBeAlone(_ file: Int) -> Turn? {
        precondition(running == file, "the file \(file) waits without the turn")
        let hasOthers = stages.contains {
            $0.key != file && $0.value != .done && $0.value != .waitingToBeAlone
        }
        if stages[file] == .alone || !hasOthers {
            stages[file] = .alone
            return nil
        }
        stages[file] = .waitingToBeAlone
        return next()
    }

    /// The file with the turn is done.
    package mutating func finished(_ file: Int) -> Turn {
        precondition(running == file, "the file \(file) ends without the turn")
        stages[file] = .done
        bytes[file] = nil
        while stages[oldest] == .done {
            stages[oldest] = nil
            oldest += 1
        }
        return next()
    }

    private mutating func next() -> Turn {
        running = nil
        if mayBegin {
            let file = begun
            begun += 1
            (stages[file], running) = (.running, file)
            return .begin(file)
        }
        if !queue.isEmpty {
            let file = queue.removeFirst()
            (stages[file], running) = (.running, file)
            return .resume(file)
        }
        guard let file = stages.filter({ $0.value == .waitingToBeAlone }).keys.min() else { return .end }
        (stages[file], running) = (.alone, file)
        return .resume(file)
    }

    private var mayBegin: Bool {
        if begun == paths.count || inFlight >= Bound.files { return false }
        if bytes.values.reduce(0, +) >= Bound.bytes { return false }
        let path = paths[begun]
        return stages.allSatisfy { file, stage in
            switch stage {
            case .done: true
            case .waitingToBeAlone, .alone: false
            case .running, .waiting: !paths[file].contains(path) && !path.contains(paths[file])
            }
        }
    }
}

extension WireString {
    /// Whether a path is below this one.
    fileprivate func contains(_ path: WireString) -> Bool {
        let (own, other) = (utf8, path.utf8)
        return other.count > own.count && other.starts(with: own)
            && other[other.index(other.startIndex, offsetBy: own.count)] == UInt8(ascii: "/")
    }
}
