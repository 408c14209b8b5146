/// The next step for one file and its document.
package enum SyncStep: Equatable, Sendable {
    /// They are equal.
    case rest
    /// The file may be half written: check it again after this many milliseconds.
    case wait(Int)
    /// Read the document.
    case ask
    /// Store this record, then check again.
    case keep(SyncRecord)
    case send(SyncRecord.Push)
    /// Write the document's text into the file.
    case place(SyncRecord.Head, usesCRLF: Bool)
    case removeFile
    case deleteDocument
    /// This file is new, and a missing one is its origin: the document of that one belongs to this file from
    /// now on.
    case renameDocument(from: String)
    /// The file was replaced by a folder, or its folder by a file, while others changed the document. Rename
    /// the document to a free path.
    case moveDocumentAside
    /// The file has no document, and would conflict with others. Rename the file to a free path.
    case moveFileAside
    case forget
    case leaveAlone(LeftAlone)
}

/// Why a file is not synced with a document.
package enum LeftAlone: Equatable, Sendable {
    case binary
    case tooLarge(bytes: Int, limit: Int)
    case noFile
    case unreadable(String)
    case noName
    /// What is in the place of its folder.
    case behind(String)
    /// A folder has the name.
    case folder
    /// The folder is synced by another sync.
    case synced

    /// Whether the file should be synced all the same.
    var isFault: Bool {
        switch self {
        case .unreadable: true
        case .binary, .tooLarge, .noFile, .noName, .behind, .folder, .synced: false
        }
    }

    /// Whether another file or folder is in the way.
    var isObstacle: Bool {
        switch self {
        case .behind, .folder: true
        case .binary, .tooLarge, .noFile, .unreadable, .noName, .synced: false
        }
    }
}

/// A file as it was found.
package struct FileLook: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case missing
        /// The text has LF as its line breaks. Nil if there is no file.
        case text(String, usesCRLF: Bool?)
        /// There is a folder with this name.
        case folder
        /// There is a file in the place of its folder.
        case blocked(by: String)
        case other(LeftAlone)

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
    /// The file has been unchanged since the program started.
    var isFromBefore = false

    package init(content: Content, quiet: Int, isFromBefore: Bool = false) {
        self.content = content
        self.quiet = quiet
        self.isFromBefore = isFromBefore
    }
}

/// What is known of a document.
package enum DocumentLook: Equatable, Sendable {
    /// From the news, which may be late.
    case told(epoch: String, revision: Int)
    case toldMissing
    /// It was read just now.
    case read(SyncRecord.Head, usesCRLF: Bool)
    case missing
}
