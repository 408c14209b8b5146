import CaretClient
import CaretCore
import CaretSync
import CaretWire
import Glibc
import Synchronization

/// A file that is kept in sync with an open document while an editor edits it.
package final class LiveCopy: Sendable {
    /// How an editor ended.
    struct Exit: Sendable {
        let status: Int32
        /// The editor exited at once without saving. Such an editor usually keeps running in its own window.
        let endedAtOnce: Bool
    }

    /// Tracks whether the editor has saved the file.
    private struct SaveTracker {
        /// The signature of the file (size, inode and times) after the last write by this process.
        var ownSignature: SyncFolder.Signature?
        var hasSaved = false
    }

    private let document: LiveDocument
    private let folder: SyncFolder
    private let name: WireString
    private let saving = Mutex(SaveTracker())

    /// An editor that exits sooner than this was not used by a person.
    private static let shortestSession = Duration.seconds(2)
    /// A new text is first written to a file with this name, which is then exchanged with the edited file.
    private static let newName = ".caret-new"
    /// How often the file and the document are compared.
    private static let pause = Duration.milliseconds(50)
    /// After the editor has ended, no program writes the file any more. So the file then counts as unchanged
    /// for this long.
    private static let forever = Int.max
    /// How many bytes of replaced texts to remember. An editor can still have a replaced text in memory and
    /// save it.
    private static let displacedBytes = 16 << 20

    init(of document: LiveDocument, limit: Int) throws(Failure) {
        self.document = document
        var template = Array("/tmp/caret-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw Failure("no temporary folder could be created: \(String(cString: strerror(errno)))")
        }
        folder = SyncFolder(root: String(cString: made), limit: limit)
        name = WireString(LiveCopy.fileName(for: document.name))
    }

    /// The last part of the document's name, so that the editor recognises the kind of text. The server may
    /// send a name that is not a valid path. Then the file is called `text`.
    package static func fileName(for document: String) -> String {
        // It does not matter why the name is invalid, because any file name works here.
        let last = (try? DocumentPath(of: document))?.parts.last ?? "text"
        return last.utf8.elementsEqual(LiveCopy.newName.utf8) ? "text" : last
    }

    var path: String { folder.path(name) }

    /// Runs an editor through the shell until the editor exits. If the editor exits at once without saving,
    /// this method keeps syncing the file until `whileStillOpen` returns.
    func edit(with editor: String, whileStillOpen: @Sendable () async -> Void) async throws -> Exit {
        let text = document.text.string
        try SystemFile.make(path, Array(text.utf8), mode: 0o600)
        try noteOwnSignature()
        let began = ContinuousClock.now
        var record = SyncRecord(path: name.string, seen: text, head: head(text), usesCRLF: false)
        let process = try ForegroundProgram(["sh", "-c", editor + " \"$1\"", "sh", path])
        let ended = Task { await process.end() }
        let keeping = Task {
            var timer = QuietTimer(try folder.signature(name), at: Milliseconds.steady)
            while !Task.isCancelled {
                let quiet = timer.quiet(with: try folder.signature(name), at: Milliseconds.steady)
                record = try merged(record, quiet: quiet)
                // If the sleep is cancelled, the loop ends at its next check.
                try? await Task.sleep(for: LiveCopy.pause)
            }
            return record
        }
        let status = await ended.value
        let isQuick = status == 0 && ContinuousClock.now - began < LiveCopy.shortestSession
        let endedAtOnce = try isQuick && !hasSaved()
        if endedAtOnce { await whileStillOpen() }
        keeping.cancel()
        _ = try merged(try await keeping.value, quiet: LiveCopy.forever)
        return Exit(status: status, endedAtOnce: endedAtOnce)
    }

    private func noteOwnSignature() throws(FileFault) {
        let signature = try folder.signature(name)
        saving.withLock { $0.ownSignature = signature }
    }

    /// Whether the editor has written the file, changed or unchanged.
    private func hasSaved() throws(FileFault) -> Bool {
        let signature = try folder.signature(name)
        return saving.withLock { $0.hasSaved || $0.ownSignature != signature }
    }

    func remove() throws(FileFault) {
        try SystemFile.remove(path)
        // If the editor left files in the folder, this fails and the folder stays.
        rmdir(folder.root)
    }

    private func head(_ text: String) -> SyncRecord.Head {
        SyncRecord.Head(epoch: "", revision: 0, text: text)
    }

    /// Pushes what the editor saved, and writes remote changes to the file.
    private func merged(_ record: SyncRecord, quiet: Int) throws -> SyncRecord {
        var record = record
        record.head = head(document.text.string)
        let file = ObservedFile(content: folder.content(path), quiet: quiet)
        let decision = SyncDecision(
            record: record, file: file, document: .reported(epoch: "", revision: 0), path: name.string,
            nextSeq: 1)
        switch try decision.step() {
        case .storeRecord(var kept):
            // After a save, the editor has the saved text or a newer one in memory, so it cannot save an
            // older text any more. So older texts are no longer remembered.
            kept.displaced = []
            guard let push = kept.push else { return kept }
            saving.withLock { $0.hasSaved = true }
            try document.setText(push.text)
            return kept.acked(as: head(push.text))
        case .writeFile(let head, _):
            // After the editor's end the file needs no more updates.
            return quiet == LiveCopy.forever ? record : try written(head, over: file, record)
        case .leaveAlone(let reason):
            // The saved file cannot be synced. This is no error while the editor runs, because the next save
            // may be valid.
            if quiet != LiveCopy.forever { return record }
            throw Failure(
                "\(path): \(reason.words)", advice: "the file still has the text that the editor saved")
        case .nothingToDo, .wait, .readDocument, .send, .removeFile, .deleteDocument, .renameDocument,
            .moveDocumentAside,
            .moveFileAside, .forgetRecord:
            return record
        }
    }

    private func written(
        _ head: SyncRecord.Head, over file: ObservedFile, _ record: SyncRecord
    ) throws(FileFault) -> SyncRecord {
        let new = folder.root + "/" + LiveCopy.newName
        try SystemFile.make(new, Array(head.text.utf8), mode: try folder.mode(name))
        defer { unlink(new) }
        // The editor may have saved the file since it was read.
        if folder.content(path) != file.content { return record }
        try folder.exchange(new, with: name)
        // The editor may also have saved just before the two files were exchanged. Then they are exchanged
        // back, and the saved text is merged next.
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
}
