/// The next step for one file and its document.
package enum SyncStep: Equatable, Sendable {
    /// Nothing is left to do.
    case nothingToDo
    /// The file may be half written: check it again after this many milliseconds.
    case wait(Int)
    /// Read the document.
    case readDocument
    /// Store this record, then check again.
    case storeRecord(SyncRecord)
    case send(SyncRecord.Push)
    /// Write the document's text into the file.
    case writeFile(SyncRecord.Head, usesCRLF: Bool)
    case removeFile
    case deleteDocument
    /// The missing file `from` was renamed to this new file. Rename its document too.
    case renameDocument(from: String)
    /// A folder has replaced the file, or a file has replaced its folder, while others changed the document.
    /// Rename the document to a free path.
    case moveDocumentAside
    /// The file has no document, and a document for the file would conflict with other documents. Rename the
    /// file to a free path.
    case moveFileAside
    case forgetRecord
    case leaveAlone(SkipReason)

    /// Whether the step changes the file or the document of another path.
    var changesOtherFiles: Bool {
        switch self {
        case .deleteDocument, .renameDocument, .moveDocumentAside, .moveFileAside: true
        case .nothingToDo, .wait, .readDocument, .storeRecord, .send, .writeFile, .removeFile, .forgetRecord,
            .leaveAlone:
            false
        }
    }

    /// Whether the step is right only if the server still has the recorded revision.
    var usesRecord: Bool {
        switch self {
        case .nothingToDo, .wait, .leaveAlone: false
        case .readDocument, .storeRecord, .send, .writeFile, .removeFile, .deleteDocument, .renameDocument,
            .moveDocumentAside, .moveFileAside, .forgetRecord:
            true
        }
    }
}

/// Why a file is not synced with a document.
package enum SkipReason: Equatable, Sendable {
    case binary
    case tooLarge(bytes: Int, limit: Int)
    case notRegularFile
    case unreadable(String)
    case invalidName
    /// A parent folder of the path is in fact a file or a link. The value is the path of that file or link.
    case blocked(by: String)
    /// A folder has the name of the file.
    case folder
    /// Another sync already syncs the folder.
    case syncedFolder
    /// The file was synced before, and `.caretignore` excludes it now.
    case ignored

    /// Whether this is a failure: the file should be synced, but could not be read.
    var isFault: Bool {
        switch self {
        case .unreadable: true
        case .binary, .tooLarge, .notRegularFile, .invalidName, .blocked, .folder, .syncedFolder, .ignored:
            false
        }
    }

    /// Whether another file or folder is in the way.
    var isObstacle: Bool {
        switch self {
        case .blocked, .folder: true
        case .binary, .tooLarge, .notRegularFile, .unreadable, .invalidName, .syncedFolder, .ignored: false
        }
    }
}

/// The content of a file, and how long it has been unchanged.
package struct ObservedFile: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case missing
        /// The text, with LF as line break. `usesCRLF` is nil if the file has no line break.
        case text(String, usesCRLF: Bool?)
        /// A folder has the name of the file.
        case folder
        /// A parent folder of the path is in fact a file. The value is the path of that file.
        case blocked(by: String)
        case other(SkipReason)

        package static func == (left: Content, right: Content) -> Bool {
            switch (left, right) {
            case (.missing, .missing), (.folder, .folder): true
            case (.blocked(let file), .blocked(let other)): file.isSame(as: other)
            case (.text(let text, let usesCRLF), .text(let other, let otherUsesCRLF)):
                text.isSame(as: other) && usesCRLF == otherUsesCRLF
            case (.other(let reason), .other(let other)): reason == other
            case (.missing, _), (.text, _), (.folder, _), (.blocked, _), (.other, _): false
            }
        }
    }

    package var content: Content
    /// For how many milliseconds the file has been unchanged.
    var quiet: Int
    /// True if the file has not changed since the program started.
    var isUnchangedSinceStart = false

    package init(content: Content, quiet: Int, isUnchangedSinceStart: Bool = false) {
        self.content = content
        self.quiet = quiet
        self.isUnchangedSinceStart = isUnchangedSinceStart
    }
}

/// What is known of a document, from events or from a read.
package enum ObservedDocument: Equatable, Sendable {
    /// The server's events have reported this state. The events may be late.
    case reported(epoch: String, revision: Int)
    case reportedMissing
    /// The document was just read.
    case read(SyncRecord.Head, usesCRLF: Bool)
    case missing
}
