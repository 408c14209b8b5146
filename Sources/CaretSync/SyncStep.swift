/// What is to be done next for one file and its document.
package enum SyncStep: Equatable, Sendable {
    /// They are the same.
    case rest
    /// The file may be half written: look again after so many milliseconds.
    case wait(Int)
    /// Read the document.
    case ask
    /// This is known from now on; then look again.
    case keep(SyncRecord)
    case send(SyncRecord.Push)
    /// The document's text into the file.
    case place(SyncRecord.Head, usesCRLF: Bool)
    case removeFile
    case deleteDocument
    /// The document of a file that has gone is that of this file from now on.
    case renameDocument(from: String)
    /// A folder took the place of the file, or a file that of its folder, while others changed the document: it gets a name
    /// that the folder has room for.
    case moveDocumentAside
    /// The file has no document yet, or none any more, and would be in the way of others: it gets a name that the folder has
    /// room for.
    case moveFileAside
    case forget
    case leaveAlone(LeftAlone)
}

/// Why a file is not kept together with a document.
package enum LeftAlone: Equatable, Sendable {
    case binary
    case tooLarge(bytes: Int, limit: Int)
    case noFile
    case unreadable(String)
    case noName
    /// What stands where its folder would be.
    case behind(String)
    /// It is the name of a folder here.
    case folder
    /// The folder is synced by itself.
    case synced

    /// Whether it should be kept together with one all the same.
    var isFault: Bool {
        switch self {
        case .unreadable: true
        case .binary, .tooLarge, .noFile, .noName, .behind, .folder, .synced: false
        }
    }

    /// Whether it is another file or folder that is in the way.
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
        /// With LF as its line breaks; they are nil where there is none.
        case text(String, usesCRLF: Bool?)
        /// A folder has its name.
        case folder
        /// This file stands where its folder would be.
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
    /// For how many milliseconds it has been as it is.
    var quiet: Int
    /// It is as the program found it when it began.
    var isFromBefore = false

    package init(content: Content, quiet: Int, isFromBefore: Bool = false) {
        self.content = content
        self.quiet = quiet
        self.isFromBefore = isFromBefore
    }
}

/// What is known of a document.
package enum DocumentLook: Equatable, Sendable {
    /// By the news, which may be late.
    case told(epoch: String, revision: Int)
    case toldMissing
    /// It was read just now.
    case read(SyncRecord.Head, usesCRLF: Bool)
    case missing
}
