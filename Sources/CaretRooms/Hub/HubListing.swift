import CaretCore
import CaretLog
import CaretWire

/// A `list` that is under way.
package struct ListJob: Equatable, Sendable {
    let request: HubRequest
    let limit: Int
    let unit: CodeUnit
    var scan: NameScan
    var page = AnswerPage<DocumentSummary>()
}

/// Listing documents.
extension HubState {
    mutating func begin(_ list: List, _ request: HubRequest) {
        guard let joined = joinedConnections[request.connection] else { return }
        let scan = NameScan(
            joined.identity.grants, prefix: ByteString(list.prefix), after: list.after.map { ByteString($0) })
        proceed(ListJob(request: request, limit: list.limit, unit: joined.unit, scan: scan))
    }

    mutating func advance(_ job: ListJob, with answer: StoreAnswer) {
        var job = job
        do throws(RequestRefusal) {
            for entry in try job.scan.receive(answer) where access(job.request, to: entry.name) >= .read {
                let summary = DocumentSummary(entry, in: job.unit)
                let bytes = summary.encodedBytes
                if !job.page.add(summary, of: bytes, atMost: job.limit, within: limits.pageBytes) {
                    return send(job)
                }
            }
        } catch {
            return refuse(job.request, error)
        }
        proceed(job)
    }

    private mutating func proceed(_ job: ListJob) {
        var job = job
        // Request one entry more than the page needs, to learn whether more entries follow.
        if let next = job.scan.next(limit: job.limit - job.page.items.count + 1) {
            call(next, for: .list(job))
        } else {
            send(job)
        }
    }

    private mutating func send(_ job: ListJob) {
        answer(job.request, .listed(Listed(documents: job.page.items, hasMore: job.page.hasMore)))
    }
}

extension DocumentSummary {
    init(_ entry: DocumentEntry, in unit: CodeUnit) {
        self.init(
            document: WireString(entry.name.description), epoch: entry.epoch.wire, revision: entry.head,
            length: entry.length.count(of: unit), updated: Int(entry.updated))
    }

    /// The encoded size of one entry in a page.
    fileprivate var encodedBytes: Int {
        Listed(documents: [self]).encodedBytes - Listed(documents: []).encodedBytes
    }
}

extension ByteString {
    /// The bytes of a name in a request. Without a name they are empty, which sorts before all names.
    init(_ name: WireString?) { self.init(utf8: name.map { Array($0.utf8) } ?? []) }
}

extension WireMessage {
    var encodedBytes: Int {
        var writer = JSONWriter()
        encode(into: &writer)
        return writer.bytes.count
    }
}
