import CaretClient
import CaretCore
import CaretWire
import Glibc

/// Keeps the files of a folder together with the documents of a server: looks at both, and does what is decided.
///
/// Its state on disk is true at every moment, so that it may be killed at any.
actor Syncer {
    private let client: CaretClient
    /// The public id of the client.
    private let user: String?
    private let names: SyncNames
    private let folder: SyncFolder
    private var state: SyncState
    private let tell: @Sendable (SyncReport, _ path: String, _ document: String) -> Void
    private let bell = Bell()
    private var news = SyncNews()
    private var newsEnd: (any Error)?
    /// Since when files are as they are, in milliseconds of a steady clock.
    private var looks: [WireString: (signature: SyncFolder.Signature?, since: Int)] = [:]
    /// How file and document were when there was nothing to be done.
    private var resting: [WireString: Resting] = [:]
    /// Until when nothing is tried again, unless the file changes.
    private var held: [WireString: (signature: SyncFolder.Signature?, until: Int)] = [:]
    private var told: [WireString: LeftAlone] = [:]

    private struct Resting: Equatable {
        let signature: SyncFolder.Signature?
        let stand: SyncNews.Stand?
    }

    /// What happens without the system telling is found after that time.
    private static let rescan = 10_000
    /// What was refused may be allowed by then.
    private static let hold = 60_000
    private static let breath = Duration.milliseconds(20)

    init(
        _ client: CaretClient, _ names: SyncNames, _ folder: SyncFolder, _ state: SyncState, user: String?,
        tell: @escaping @Sendable (SyncReport, _ path: String, _ document: String) -> Void
    ) {
        (self.client, self.names, self.folder, self.state) = (client, names, folder, state)
        self.user = user
        self.tell = tell
    }

    /// Goes on until something cannot be mended; with `once`, until all rests.
    func run(once: Bool) async throws {
        let watch = try FolderWatch(ring: bell)
        let listening = Task { await listen() }
        defer { listening.cancel() }
        while !news.isComplete {
            if let newsEnd { throw newsEnd }
            await bell.wait(atMost: .seconds(1))
        }
        try checkServer()
        while true {
            if let newsEnd { throw newsEnd }
            let wait = try await pass(watch, once: once)
            if once, wait == nil { return }
            await bell.wait(atMost: .milliseconds(min(wait ?? Syncer.rescan, Syncer.rescan)))
            // A program that writes one file mostly writes more.
            try await Task.sleep(for: Syncer.breath)
        }
    }

    private func listen() async {
        do {
            for try await next in client.documentNews(prefix: names.prefix) {
                news.hear(next)
                bell.ring()
            }
            newsEnd = ConnectionFault.closed
        } catch {
            newsEnd = error
        }
        bell.ring()
    }

    /// A server that has none of many documents is another one, or has lost them: that deletes no files.
    private func checkServer() throws {
        let isOther = state.records.count > 1 && news.documents.isEmpty
        if !isOther { return }
        throw Failure(
            "\(folder.root): the server has none of the \(state.records.count) documents that were synced",
            advice:
                "is it the right one? To make them all anew, remove the folder \(SyncNames.stateFolder) in it"
        )
    }

    // MARK: Passes

    /// Looks at everything once. Answers with the milliseconds after which there is more to do; nil where all rests.
    private func pass(_ watch: FolderWatch, once: Bool) async throws -> Int? {
        if !state.isThere {
            throw Failure("\(folder.root): its folder \(SyncNames.stateFolder) was taken away")
        }
        let scan = try folder.scan()
        watch.watch(scan.folders)
        for path in scan.unnameable { leaveAlone(WireString(path), .noName) }
        let now = Milliseconds.steady
        let all = Set(scan.files.keys).union(state.records.keys).union(looks.keys)
        for path in all { look(at: path, scan.files[path], now) }
        try renameFiles()
        var wait: Int?
        for path in paths(scan) {
            guard let next = try await visit(path, scan.files[path], once: once) else { continue }
            wait = min(wait ?? next, next)
        }
        return wait
    }

    /// Files that are new come first: one may be another one that was renamed.
    private func paths(_ scan: SyncFolder.Scan) -> [WireString] {
        let there = news.documents.keys.compactMap { names.path(of: $0) }
        let known = Set(state.records.keys)
        let new = Set(scan.files.keys).union(there).subtracting(known)
        return new.sorted() + known.sorted()
    }

    private func look(at path: WireString, _ signature: SyncFolder.Signature?, _ now: Int) {
        if let look = looks[path], look.signature == signature { return }
        // A file that was here before us and rests need not be waited for.
        var age = 0
        if looks[path] == nil, let signature {
            age = max(0, Milliseconds.wall - signature.changed / 1_000_000)
        }
        looks[path] = (signature, now - age)
    }

    private func visit(
        _ path: WireString, _ signature: SyncFolder.Signature?, once: Bool
    ) async throws -> Int? {
        guard let document = names.document(of: path) else {
            leaveAlone(path, .noName)
            return nil
        }
        let record = state.records[path]
        let now = Resting(signature: signature, stand: news.documents[document])
        let isIdle = record?.push == nil && record?.displaced.isEmpty != false
        if isIdle, resting[path] == now { return nil }
        if let held = held[path], held.signature == signature, Milliseconds.steady < held.until {
            return once ? nil : held.until - Milliseconds.steady
        }
        held[path] = nil
        do {
            // A displaced file tells from what a text was made that was saved meanwhile, so it goes once there is none.
            if let wait = try await settle(path, document) { return wait }
            let displaced = try settleDisplaced(path)
            // Whoever is to end does not wait for them: they are looked at the next time.
            return once && displaced != 0 ? nil : displaced
        } catch let fault as FileFault {
            hold(path, signature, fault.description)
        } catch let refusal as ServerRefusal {
            hold(path, signature, refusal.description)
        }
        return once ? nil : Syncer.hold
    }

    private func hold(_ path: WireString, _ signature: SyncFolder.Signature?, _ reason: String) {
        held[path] = (signature, Milliseconds.steady + Syncer.hold)
        report(.refused(reason), path)
    }

    private func report(_ what: SyncReport, _ path: WireString) {
        tell(what, path.string, (names.document(of: path) ?? path).string)
    }

    private func leaveAlone(_ path: WireString, _ reason: LeftAlone) {
        if told.updateValue(reason, forKey: path) != reason { report(.leftAlone(reason), path) }
    }

    // MARK: One file

    /// Does all there is to do for a file now; answers with when there is more.
    private func settle(_ path: WireString, _ document: WireString) async throws -> Int? {
        var known: DocumentLook?
        while true {
            let stand = news.documents[document]
            let signature = try folder.signature(path)
            look(at: path, signature, Milliseconds.steady)
            let file = file(path)
            let told = stand.map { DocumentLook.told(epoch: $0.epoch, revision: $0.revision) }
            let decision = SyncDecision(
                record: state.records[path], file: file, document: known ?? told ?? .toldMissing,
                origin: origin(of: path, file)?.string, path: path.string, nextSeq: client.nextPushNumber())
            let step = try decision.step()
            switch step {
            case .rest, .leaveAlone:
                if case .leaveAlone(let reason) = step { leaveAlone(path, reason) }
                resting[path] = Resting(signature: signature, stand: news.documents[document])
                return nil
            case .wait(let milliseconds): return milliseconds
            case .ask: known = try await read(document)
            case .keep(let record): try state.keep(record)
            case .send(let push):
                known = try await send(push, path, document)
                if known == nil { return 1_000 }
            case .place, .removeFile, .deleteDocument, .renameDocument, .forget:
                try await act(step, path, document, file)
                known = nil
                if step == .forget || step == .removeFile { return nil }
            }
        }
    }

    private func file(_ path: WireString) -> FileLook {
        let since = looks[path]?.since ?? Milliseconds.steady
        return FileLook(
            content: folder.content(folder.path(path)), quiet: Milliseconds.steady - since)
    }

    private func origin(of path: WireString, _ file: FileLook) -> WireString? {
        guard state.records[path] == nil, case .text(let text, _) = file.content else { return nil }
        return SyncRenames.origin(of: text, among: state.records) { other in
            // One that cannot be looked at is not known to be gone.
            guard let name = names.document(of: other), news.documents[name] != nil else { return false }
            return (try? folder.signature(other)) == .some(nil)
        }
    }

    private func act(
        _ step: SyncStep, _ path: WireString, _ document: WireString, _ file: FileLook
    ) async throws {
        switch step {
        case .place(let head, let usesCRLF): try await place(head, usesCRLF, path, document, over: file)
        case .removeFile: try removeFile(path)
        case .deleteDocument:
            try await client.delete(document.string)
            news.set(document, nil)
            try state.forget(path)
            report(.deletedHere, path)
        case .renameDocument(let origin):
            let origin = WireString(origin)
            guard let old = names.document(of: origin) else { return }
            try await client.rename(old.string, to: document.string)
            news.set(document, news.documents[old])
            news.set(old, nil)
            try state.move(origin, to: path)
            report(.renamedHere(to: path.string), origin)
        case .forget: try state.forget(path)
        case .rest, .wait, .ask, .keep, .send, .leaveAlone:
            preconditionFailure("\(step) is no act")
        }
    }

    private func read(_ document: WireString) async throws -> DocumentLook {
        do {
            let version = try await client.read(document.string)
            let head = SyncRecord.Head(
                epoch: version.epoch, revision: version.revision.value, text: version.text)
            news.set(document, SyncNews.Stand(epoch: head.epoch, revision: head.revision))
            return .read(head, usesCRLF: version.usesCRLF)
        } catch let refusal as ServerRefusal where refusal.code == .notFound {
            news.set(document, nil)
            return .missing
        }
    }

    /// Pushes what is recorded. Answers with the document as it is then, or nil where it is to be tried again later.
    private func send(
        _ push: SyncRecord.Push, _ path: WireString, _ document: WireString
    ) async throws -> DocumentLook? {
        guard let record = state.records[path] else { return nil }
        do {
            let answer = try await client.ask(.push(push.message(to: document, record.usesCRLF)))
            guard case .ack(let ack) = answer else { return nil }
            // What is not there any more was deleted behind the push.
            var head = SyncRecord.Head(
                epoch: push.epoch ?? "", revision: ack.revision.value, text: push.text)
            let known = try await read(document)
            if case .read(let now, _) = known { head = now }
            try state.keep(record.acked(as: head))
            if let number = push.displaced { try SystemFile.remove(state.swap(number)) }
            if !ack.unchanged { report(.pushed(revision: ack.revision.value), path) }
            return known
        } catch let refusal as ServerRefusal {
            return try await withdraw(record, refusal, document)
        }
    }

    /// What was refused is still in the file, and nowhere else.
    private func withdraw(
        _ record: SyncRecord, _ refusal: ServerRefusal, _ document: WireString
    ) async throws -> DocumentLook? {
        switch refusal.code {
        case .overloaded, .rateLimited, .shuttingDown, .pushInFlight: return nil
        case .epochChanged, .baseTrimmed, .baseAhead, .baseBeforeOwnPush, .notFound, .seqReused:
            try forgetPush(record)
            return try await read(document)
        case .badJSON, .badMessage, .unknownType, .lineTooLong, .helloRequired, .helloTimeout,
            .unsupportedProtocol, .unauthorized, .alreadyHello, .notOpen, .alreadyOpen, .badName, .exists,
            .forbidden, .badRange, .badText, .badEdits, .tooLarge, .storageFull, .storageFailed, .damaged,
            .internal, nil:
            try forgetPush(record)
            throw refusal
        }
    }

    private func forgetPush(_ record: SyncRecord) throws {
        if let before = record.withdrawn {
            try state.keep(before)
        } else {
            try state.forget(WireString(record.path))
        }
    }

    // MARK: Files

    private func place(
        _ head: SyncRecord.Head, _ usesCRLF: Bool, _ path: WireString, _ document: WireString,
        over file: FileLook
    ) async throws {
        let known = state.records[path]
        let record = known ?? SyncRecord(path: path.string, seen: "", head: head, usesCRLF: usesCRLF)
        let users = await users(of: document, since: known?.shown ?? 0, head)
        let number = state.nextNumber()
        let new = state.swap(number)
        let isThere = file.content != .missing
        let inode = try SystemFile.make(
            new, head.text.fileBytes(usesCRLF: usesCRLF), mode: try folder.mode(path))
        try chmod(new, as: path)
        try state.keep(
            record.placing(number: number, inode: inode, replacing: isThere, at: Milliseconds.wall))
        let placed = Result { () throws(FileFault) in
            // Somebody may have saved it since it was read.
            if folder.content(folder.path(path)) != file.content {
                throw FileFault("replace it", path.string, EBUSY)
            }
            try folder.makeFolders(for: path)
            if isThere { try folder.exchange(new, with: path) } else { try folder.place(new, at: path) }
        }
        try conclude(placed, path, number, record)
        if case .success = placed { report(.written(revision: head.revision, by: users), path) }
    }

    private func chmod(_ new: String, as path: WireString) throws(FileFault) {
        // What the mask of the process has taken from a file that is there is given back.
        guard let status = try SystemFile.status(folder.path(path)) else { return }
        if Glibc.chmod(new, status.st_mode & 0o7777) != 0 { throw FileFault("give it its mode", new) }
    }

    /// Records whether a file is in place.
    private func conclude(
        _ placed: Result<Void, FileFault>, _ path: WireString, _ number: Int, _ before: SyncRecord
    ) throws {
        let isPlaced = if case .success = placed { true } else { false }
        if let record = state.records[path]?.placed(isInPlace: isPlaced) {
            try state.keep(record)
        } else {
            try state.forget(path)
        }
        guard case .failure(let fault) = placed else { return }
        try SystemFile.remove(state.swap(number))
        if fault.code != EBUSY, fault.code != EEXIST { throw fault }
    }

    /// The users who have changed a document since, as far as that can be told.
    private func users(of document: WireString, since: Int, _ head: SyncRecord.Head) async -> [String] {
        let window = HistoryWindow(
            after: Revision(max(since, head.revision - HistoryWindow.most)), through: Revision(head.revision))
        // Who it was is only told, and never worth a failure.
        let entries = (try? await client.history(of: document.string, in: window)) ?? []
        return Set(entries.filter { $0.client != user }.map(\.user)).sorted()
    }

    private func removeFile(_ path: WireString) throws {
        guard let record = state.records[path] else { return }
        let aside = state.swap(state.nextNumber())
        if rename(folder.path(path), aside) != 0 { throw FileFault("remove it", folder.path(path)) }
        if case .text(let text, _) = folder.content(aside), text.isSame(as: record.seen) {
            try state.forget(path)
            try SystemFile.remove(aside)
            folder.removeEmptyFolders(above: path)
            report(.deletedElsewhere, path)
        } else {
            // It was saved in that moment.
            try folder.place(aside, at: path)
        }
    }

    /// Follows documents that were renamed elsewhere.
    private func renameFiles() throws {
        for rename in SyncRenames.elsewhere(state.records, news.documents, names) {
            let (old, new) = (try folder.signature(rename.path), try folder.signature(rename.new))
            if old != nil, new == nil {
                try folder.move(rename.path, to: rename.new)
            } else if old != nil {
                continue
            }
            try state.move(rename.path, to: rename.new)
            report(.renamedElsewhere(to: rename.new.string), rename.path)
        }
    }

    /// Looks at the files that gave way to others.
    private func settleDisplaced(_ path: WireString) throws -> Int? {
        var wait: Int?
        for displaced in state.records[path]?.displaced ?? [] {
            guard let record = state.records[path], record.push == nil else { return 0 }
            let full = state.swap(displaced.number)
            let changed = try SystemFile.status(full).map { Milliseconds.of($0.st_ctim) } ?? 0
            let look = FileLook(
                content: folder.content(full), quiet: max(0, Milliseconds.wall - changed))
            let step = try SyncDecision.step(
                for: displaced, look, of: record, nextSeq: client.nextPushNumber(), now: Milliseconds.wall)
            switch step {
            case .wait(let milliseconds): wait = min(wait ?? milliseconds, milliseconds)
            case .keep(let record):
                try state.keep(record)
                return 0
            case .drop:
                var record = record
                record.displaced.removeAll { $0.number == displaced.number }
                try state.keep(record)
                try SystemFile.remove(full)
            }
        }
        return wait
    }
}

extension SyncRecord.Push {
    fileprivate func message(to document: WireString, _ usesCRLF: Bool) -> CaretWire.Push {
        CaretWire.Push(
            document: document, epoch: epoch.map { WireString($0) }, base: Revision(base),
            seq: seq,
            content: .text(WireString(String(decoding: text.fileBytes(usesCRLF: usesCRLF), as: UTF8.self))),
            wantsText: false, create: epoch == nil)
    }
}
