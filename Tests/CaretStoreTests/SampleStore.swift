import CaretCore
import CaretLog
import Foundation
import TestSupport
import Testing

@testable import CaretStore

/// A folder with a store in it that has some of everything, and what is in it.
struct SampleStore {
    let scratch: Scratch
    private(set) var documents: [Following] = []
    /// Documents of one letter, each by a pusher of its own.
    private var crowd: [(name: DocumentName, id: DocumentID, pusher: Pusher)] = []

    /// Four documents: a merged one with snapshots, a trimmed one, a short one, and one that nobody wrote to; and a
    /// crowd of small ones. Most of it rests in the database; what was written last is in its log where `isCutOff`
    /// leaves it there.
    init(isCutOff: Bool, crowd count: Int = 0) async throws {
        scratch = try Scratch()
        let store = try SQLiteStore(folder: scratch.path)
        for number in 0..<count {
            let pusher = Pusher(
                user: ByteString("user \(number)"), client: ByteString("client \(number * 7)"))
            var document = try await Following(on: store, "crowd/\(number)")
            try await document.type("x", by: pusher)
            crowd.append((document.entry.name, document.entry.id, pusher))
        }
        for name in ["notes/long", "notes/trimmed", "notes/short", "empty"] {
            documents.append(try await Following(on: store, name))
        }
        for round in 0..<60 {
            try await documents[0].typeAtOnce("a long text, line \(round): é😀\n")
            try await documents[1].type("abc", by: round % 2 == 0 ? SampleLog.ann : SampleLog.bob)
        }
        #expect(await store.trim(documents[1].entry.id, through: 70) == .trimmed(start: 70))
        await store.tend(at: 1_000_000)
        await store.close()
        let again = try SQLiteStore(folder: scratch.path)
        for index in documents.indices { documents[index].store = again }
        try await documents[2].type("short", by: SampleLog.bob)
        try await documents[0].type("the end")
        if isCutOff { try scratch.keepFiles() }
        await again.close()
        if isCutOff { try scratch.restoreFiles() }
    }

    /// What is wrong with the answers of a store that was opened on a copy of the folder; nil where each is right, or
    /// a named refusal. `isRenewed`: the store has said that it is an older state.
    func fault(of store: SQLiteStore, isRenewed: Bool) async -> String? {
        for document in documents {
            let (id, name) = (document.entry.id, document.entry.name)
            switch await store.find(name) {
            case .failure(.damaged): break
            case .failure(.gone) where isRenewed: break
            case .failure(let refusal): return "find \(name): \(refusal)"
            case .success(let entry):
                if entry.id != id { return "find \(name): \(entry)" }
                if entry.head != document.head && !(isRenewed && entry.head < document.head) {
                    return "\(name) is at \(entry.head), not at \(document.head)"
                }
            }
            if let fault = await textFault(document, store, isRenewed) { return fault }
            if let fault = await historyFault(document, store, isRenewed) { return fault }
            if let fault = await pusherFault(document, store, isRenewed) { return fault }
        }
        return isRenewed ? nil : await crowdFault(store)
    }

    private func crowdFault(_ store: SQLiteStore) async -> String? {
        for member in crowd {
            switch await store.find(member.name) {
            case .failure(.damaged): break
            case .success(let entry) where entry.id == member.id && entry.head == 1: break
            case let answer: return "find \(member.name): \(answer)"
            }
            switch await store.pusher(member.pusher, in: member.id) {
            case .failure(.damaged): break
            case .success(let answer) where answer.entry?.seq == 1: break
            case let answer: return "\(member.pusher) in \(member.name): \(answer)"
            }
        }
        return nil
    }

    private func textFault(_ document: Following, _ store: SQLiteStore, _ isRenewed: Bool) async -> String? {
        for revision in [nil, Revision(75), Revision(document.head.value - 1)] {
            guard case .success(let found) = await store.text(of: document.entry.id, at: revision) else {
                continue
            }
            let isKnown = document.texts.indices.contains(found.revision.value)
            if !isKnown || document.texts[found.revision.value] != found.text {
                return "another text of \(document.entry.name) at \(found.revision)"
            }
            if revision == nil && found.revision != document.head && !isRenewed {
                return "an older text of \(document.entry.name)"
            }
        }
        return nil
    }

    private func historyFault(_ document: Following, _ store: SQLiteStore, _ isRenewed: Bool) async -> String?
    {
        let start = document.entry.name.description == "notes/trimmed" ? 70 : 0
        guard case .success(let read) = await store.read(document.entry.id, after: Revision(start)) else {
            return nil
        }
        let known = Array(document.log[start...])
        if read.segment.changes == known { return nil }
        if isRenewed && known.starts(with: read.segment.changes) { return nil }
        return "another history of \(document.entry.name)"
    }

    private func pusherFault(_ document: Following, _ store: SQLiteStore, _ isRenewed: Bool) async -> String?
    {
        for pusher in [SampleLog.ann, SampleLog.bob] {
            guard case .success(let answer) = await store.pusher(pusher, in: document.entry.id) else {
                continue
            }
            let last = document.log.lastIndex { $0.pusher == pusher }
            let isRight = answer.entry?.revision.value == last.map { $0 + 1 }
            if !isRight && !isRenewed { return "\(pusher.user) in \(document.entry.name): \(answer)" }
        }
        return nil
    }
}

extension Scratch {
    /// Copies the files of the store as they are now, beside it.
    fileprivate func keepFiles() throws {
        let kept = path + "/kept"
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        for file in ["caret.sqlite", "caret.sqlite-wal", "caret.commits"] {
            try FileManager.default.copyItem(atPath: "\(path)/\(file)", toPath: "\(kept)/\(file)")
        }
    }

    /// Puts the copies in the place of the files.
    fileprivate func restoreFiles() throws {
        for file in ["caret.sqlite", "caret.sqlite-wal", "caret.commits"] {
            // The log is gone where the store was closed.
            try? FileManager.default.removeItem(atPath: "\(path)/\(file)")
            try FileManager.default.moveItem(atPath: "\(path)/kept/\(file)", toPath: "\(path)/\(file)")
        }
        try FileManager.default.removeItem(atPath: path + "/kept")
    }

    /// Another folder with the same files.
    func copied() throws -> Scratch {
        let copy = try Scratch()
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.copyItem(atPath: "\(path)/\(file)", toPath: "\(copy.path)/\(file)")
        }
        return copy
    }

    func file(_ name: String) -> URL { URL(filePath: "\(path)/\(name)") }
}
