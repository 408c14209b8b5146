package import CaretWire

/// Finds documents whose names have changed since their files were last synced.
package enum SyncRenames {
    package struct Rename: Equatable, Sendable {
        let path: WireString
        let new: WireString

        package init(path: WireString, new: WireString) {
            self.path = path
            self.new = new
        }
    }

    /// Finds files whose documents were renamed by other clients. A document keeps its epoch when it is
    /// renamed.
    package static func renamedElsewhere(
        _ records: [WireString: SyncRecord], _ documents: [WireString: ServerDocuments.DocumentPosition],
        _ names: SyncNames
    ) -> [Rename] {
        var lost: [WireString: WireString] = [:]
        for (path, record) in records {
            guard let epoch = record.head?.epoch, let name = names.document(of: path) else { continue }
            if documents[name] == nil { lost[WireString(epoch)] = path }
        }
        if lost.isEmpty { return [] }
        return documents.compactMap { name, position in
            guard let path = lost[WireString(position.epoch)], let new = names.path(of: name),
                records[new] == nil
            else {
                return nil
            }
            return Rename(path: path, new: new)
        }.sorted { $0.path < $1.path }
    }

    /// Finds the missing file that was renamed to a new file with this text. If one missing file has exactly
    /// this text, it is the result. If no missing file has this text, the result is the file that shares the
    /// most lines: a file may be saved and renamed between two scans.
    ///
    /// `older` returns the earlier texts of one missing file. It is called only if no newer text is similar,
    /// because `missing` may have many files.
    package static func origin(
        of text: String, among missing: Set<WireString>, _ records: [WireString: SyncRecord],
        isGone: (WireString) -> Bool, older: (SyncRecord) throws(FileFault) -> [String]
    ) throws(FileFault) -> WireString? {
        if text.utf8.isEmpty || missing.isEmpty { return nil }
        let same = missing.filter { path in
            guard let record = records[path], record.push == nil, record.head != nil else { return false }
            return record.seen.isSame(as: text) && isGone(path)
        }
        if !same.isEmpty || missing.count > maxCompared { return same.count == 1 ? same.first : nil }
        var gone: [(path: WireString, record: SyncRecord)] = []
        for path in missing.sorted() {
            if let record = records[path], record.head != nil, isGone(path) { gone.append((path, record)) }
        }
        let lines = TextLines(text)
        let newest = mostSimilar(
            to: lines, among: gone.map { ($0.path, [$0.record.seen] + $0.record.displaced.map(\.text)) })
        if let newest { return newest }
        var olderTexts: [(WireString, [String])] = []
        for (path, record) in gone { olderTexts.append((path, try older(record))) }
        return mostSimilar(to: lines, among: olderTexts)
    }

    private static func mostSimilar(
        to lines: TextLines, among files: [(path: WireString, texts: [String])]
    ) -> WireString? {
        var best: (path: WireString, similarity: Double)?
        for (path, texts) in files {
            let similarity = texts.map { lines.similarity(to: TextLines($0)) }.max() ?? 0
            if similarity >= minSimilarity, similarity > best?.similarity ?? 0 { best = (path, similarity) }
        }
        return best?.path
    }

    /// The maximum number of missing files that are compared line by line. If more are missing, for example
    /// after a whole folder was moved, only whole texts are compared.
    private static let maxCompared = 32
    /// Two texts can belong to the same file if their common lines are at least this fraction of both texts.
    private static let minSimilarity = 0.5
}

/// The lines of a text, regardless of their order.
private struct TextLines {
    private var counts: [Substring: Int] = [:]
    private var size = 0

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            counts[line, default: 0] += 1
            size += line.utf8.count
        }
    }

    /// How similar two texts are: 1 if they have the same lines, 0 if they have no common line.
    func similarity(to other: TextLines) -> Double {
        let common = counts.reduce(0) { $0 + min($1.value, other.counts[$1.key] ?? 0) * $1.key.utf8.count }
        return size + other.size == 0 ? 0 : Double(2 * common) / Double(size + other.size)
    }
}
