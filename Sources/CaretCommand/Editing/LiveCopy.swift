import CaretClient
import CaretCore
import CaretSync
import CaretWire
import Dispatch
import Glibc
import Synchronization

/// A file that is kept together with an open document while an editor has it.
package final class LiveCopy: Sendable {
    /// How an editor ended.
    struct Ended: Sendable {
        let status: Int32
        /// It ended at once, and nothing was saved: mostly such a one runs on in a window of its own.
        let isAbsent: Bool
    }

    /// What tells whether an editor has saved anything.
    private struct Saving {
        /// Of the file as it was last written here.
        var ownSignature: SyncFolder.Signature?
        var hasSaved = false
    }

    private let document: LiveDocument
    private let folder: SyncFolder
    private let name: WireString
    private let saving = Mutex(Saving())

    /// No person looks at a text and leaves sooner than that.
    private static let atOnce = Duration.seconds(2)
    /// Where a text is written before it gets the name of the file.
    private static let newName = ".caret-new"
    /// How often the file and the document are looked at.
    private static let pause = Duration.milliseconds(50)
    /// How long a file must have been as it is to be believed at the end, when nobody writes it any more.
    private static let forever = Int.max
    /// Bytes of the texts that an editor may have read and not saved yet.
    private static let displacedBytes = 16 << 20

    init(of document: LiveDocument, limit: Int) throws(Failure) {
        self.document = document
        var template = Array("/tmp/caret-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw Failure("no temporary folder could be made: \(String(cString: strerror(errno)))")
        }
        folder = SyncFolder(root: String(cString: made), limit: limit)
        name = WireString(LiveCopy.fileName(for: document.name))
    }

    /// The last part of the name: an editor knows from it what kind of text it is. The name comes from the server, and
    /// one that is no path stands for none.
    package static func fileName(for document: String) -> String {
        // What is wrong with the name does not matter here: any name does.
        let last = (try? DocumentPath(of: document))?.parts.last ?? "text"
        return last.utf8.elementsEqual(LiveCopy.newName.utf8) ? "text" : last
    }

    var path: String { folder.path(name) }

    /// Runs an editor, as a shell would, until it ends. Where that is at once, with nothing saved, the file is kept
    /// together with the document until `whileAbsent` returns.
    func edit(with editor: String, whileAbsent: @Sendable () async -> Void) async throws -> Ended {
        let text = document.text.string
        try SystemFile.make(path, Array(text.utf8), mode: 0o600)
        try noteOwnSignature()
        let began = ContinuousClock.now
        var record = SyncRecord(path: name.string, seen: text, head: head(text), usesCRLF: false)
        let process = try start(editor)
        let ended = Task { await LiveCopy.end(of: process) }
        let keeping = Task {
            var signature: SyncFolder.Signature?
            var since = Milliseconds.steady
            while !Task.isCancelled {
                let now = try folder.signature(name)
                if now != signature { (signature, since) = (now, Milliseconds.steady) }
                record = try merged(record, quiet: Milliseconds.steady - since)
                // One that is cut short looks whether it is over.
                try? await Task.sleep(for: LiveCopy.pause)
            }
            return record
        }
        let status = await ended.value
        let isQuick = status == 0 && ContinuousClock.now - began < LiveCopy.atOnce
        let isAbsent = try isQuick && !hasSaved()
        if isAbsent { await whileAbsent() }
        keeping.cancel()
        _ = try merged(try await keeping.value, quiet: LiveCopy.forever)
        return Ended(status: status, isAbsent: isAbsent)
    }

    private func noteOwnSignature() throws(FileFault) {
        let signature = try folder.signature(name)
        saving.withLock { $0.ownSignature = signature }
    }

    /// Whether the editor has written the file, with another text or the same.
    private func hasSaved() throws(FileFault) -> Bool {
        let signature = try folder.signature(name)
        return saving.withLock { $0.hasSaved || $0.ownSignature != signature }
    }

    func remove() throws(FileFault) {
        try SystemFile.remove(path)
        // Where the editor has left something of its own, it stays.
        rmdir(folder.root)
    }

    private func head(_ text: String) -> SyncRecord.Head {
        SyncRecord.Head(epoch: "", revision: 0, text: text)
    }

    /// Takes up what was saved, and puts into the file what came.
    private func merged(_ record: SyncRecord, quiet: Int) throws -> SyncRecord {
        var record = record
        record.head = head(document.text.string)
        let file = FileLook(content: folder.content(path), quiet: quiet)
        let decision = SyncDecision(
            record: record, file: file, document: .told(epoch: "", revision: 0), path: name.string,
            nextSeq: 1)
        switch try decision.step() {
        case .keep(var kept):
            // An editor that has saved has that text, or one that came later.
            kept.displaced = []
            guard let push = kept.push else { return kept }
            saving.withLock { $0.hasSaved = true }
            try document.setText(push.text)
            return kept.acked(as: head(push.text))
        case .place(let head, _):
            // An editor that is gone needs nothing any more.
            return quiet == LiveCopy.forever ? record : try placed(head, over: file, record)
        case .leaveAlone(let reason):
            // While it is edited, the next save may be a text again.
            if quiet != LiveCopy.forever { return record }
            throw Failure("\(path): \(reason.words)", advice: "what was saved stays in that file")
        case .rest, .wait, .ask, .send, .removeFile, .deleteDocument, .renameDocument, .moveDocumentAside,
            .moveFileAside, .forget:
            return record
        }
    }

    private func placed(
        _ head: SyncRecord.Head, over file: FileLook, _ record: SyncRecord
    ) throws(FileFault) -> SyncRecord {
        let new = folder.root + "/" + LiveCopy.newName
        try SystemFile.make(new, Array(head.text.utf8), mode: try folder.mode(name))
        defer { unlink(new) }
        // Somebody may have saved it since it was read.
        if folder.content(path) != file.content { return record }
        try folder.exchange(new, with: name)
        // Or in the moment before it was exchanged: that goes back, and is taken up as what was saved.
        let displaced = folder.content(new)
        if displaced != .missing, displaced != file.content {
            try folder.exchange(new, with: name)
            return record
        }
        try noteOwnSignature()
        var placed = record.placing(number: 0, inode: 0, before: record.seen, replacing: true, at: 0)
        placed.forgetDisplaced(beyond: LiveCopy.displacedBytes)
        return placed
    }

    private func start(_ editor: String) throws(Failure) -> pid_t {
        var process: pid_t = 0
        let line = ["sh", "-c", editor + " \"$1\"", "sh", path]
        let words = line.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let code = posix_spawn(&process, "/bin/sh", nil, nil, words, environ)
        if code != 0 { throw Failure("the editor could not be started: \(String(cString: strerror(code)))") }
        // The keys that would end it are the editor's.
        signal(SIGINT, SIG_IGN)
        signal(SIGQUIT, SIG_IGN)
        return process
    }

    private static func end(of process: pid_t) async -> Int32 {
        await withCheckedContinuation { waiter in
            // It blocks a thread for as long as somebody edits.
            DispatchQueue(label: "editor").async {
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                signal(SIGINT, SIG_DFL)
                signal(SIGQUIT, SIG_DFL)
                waiter.resume(returning: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
            }
        }
    }
}
