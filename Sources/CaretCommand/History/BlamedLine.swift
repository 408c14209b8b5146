package import CaretClient
package import CaretCore
import CaretLog
import CaretWire
import FoundationEssentials

/// Who changed a line last.
package struct BlamedLine: Equatable {
    package struct Author: Equatable {
        let user: String
        let time: Date
    }

    package let revision: Revision
    /// Nil if the line did not change since the oldest kept revision.
    package let author: Author?
}

extension LiveClient {
    /// Who changed each line of a text last. The server answers this. If it is too old for that, or the text has too many
    /// lines for it, this reads the whole history instead.
    package func blamedLines(of version: DocumentVersion) async throws -> [BlamedLine] {
        if try await welcome().features.contains("blame") {
            do {
                return try await answeredLines(of: version)
            } catch let refusal as ServerRefusal where refusal.code == .tooLarge {}
        }
        return try await downloadedLines(of: version)
    }

    private func answeredLines(of version: DocumentVersion) async throws -> [BlamedLine] {
        var (lines, hasMore) = ([BlamedLine](), true)
        let count = LineTable(version.text).count
        while hasMore {
            let page = try await blame(
                version.name, at: version.revision, afterLine: lines.count, limit: Limits.items.upperBound)
            if page.epoch != version.epoch {
                throw Failure(
                    "\(version.name.printable): the document has a new history since its text was read",
                    advice: "try again")
            }
            for range in page.ranges {
                let left = count - lines.count
                guard range.first == lines.count + 1, range.count > 0, range.count <= left else {
                    throw Failure(unfittingBlameOf: version)
                }
                let author = range.author.map { BlamedLine.Author(user: $0.user, time: $0.time) }
                lines += repeatElement(
                    BlamedLine(revision: range.revision, author: author), count: range.count)
            }
            hasMore = page.hasMore && !page.ranges.isEmpty
        }
        if lines.count < count { throw Failure(unfittingBlameOf: version) }
        return lines
    }

    /// Finds the lines with the whole history of the text, which has to be downloaded.
    package func downloadedLines(of version: DocumentVersion) async throws -> [BlamedLine] {
        let start = try await oldestRevision(of: version.name)
        let first = try await read(version.name, at: .revision(start))
        var lines = try AttributedLines(try TextBuffer(first.text), at: start)
        var authors: [BlamedLine.Author] = []
        let windows = HistoryWindow.windows(after: start, through: version.revision)
        try await inOrder(windows) { window in
            try await self.history(of: version.name, in: window, withChanges: true)
        } receive: { _, entries in
            for entry in entries {
                authors.append(BlamedLine.Author(user: entry.user, time: entry.time))
                if let change = entry.change { try lines.apply(change, making: entry.revision) }
            }
        }
        return lines.lines.map { line in
            let index = line.revision.value - start.value - 1
            return BlamedLine(
                revision: line.revision, author: authors.indices.contains(index) ? authors[index] : nil)
        }
    }
}

extension Failure {
    fileprivate init(unfittingBlameOf version: DocumentVersion) {
        self.init("\(version.name.printable): the lines in the server's answer are not those of the text")
    }
}
