import CaretLog

/// The path of a document's file in a folder: the parts of its name after a prefix.
///
/// Names of documents come from untrusted sources, such as a malicious server. Code that uses such a name as
/// a path must create a `DocumentPath` first. No part of the path is empty, `.` or `..`, and no part contains
/// a `/` or a control character.
package struct DocumentPath: Equatable, Sendable {
    /// Why a name is not a path.
    package enum Fault: Error, Equatable {
        /// The protocol does not allow this name.
        case invalidName
        /// The name does not begin with the prefix.
        case otherPrefix
        /// A part of the name has more bytes than file systems on Linux allow.
        case partTooLong(bytes: Int)
    }

    /// How many bytes a part may have on the file systems of Linux.
    static let longestPart = 255

    /// The parts of the path. There is at least one part.
    let parts: [String]

    /// The prefix must be empty or end with `/`.
    package init(of document: String, under prefix: String = "") throws(Fault) {
        do throws(DocumentName.Fault) { _ = try DocumentName(document) } catch { throw .invalidName }
        guard document.utf8.starts(with: prefix.utf8) else { throw .otherPrefix }
        // A valid name has no empty part and does not end with `/`, so at least one part follows the prefix.
        let parts = document.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "/"))
        if let long = parts.first(where: { $0.count > DocumentPath.longestPart }) {
            throw .partTooLong(bytes: long.count)
        }
        self.parts = parts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The path relative to the folder, with `/` between the parts.
    package var text: String { parts.joined(separator: "/") }

    /// Whether a part begins with a dot. Most tools do not show such files.
    var isHidden: Bool { parts.contains { $0.utf8.first == UInt8(ascii: ".") } }
}

extension DocumentPath.Fault {
    /// The fault in words.
    var words: String {
        switch self {
        case .invalidName: "not a valid document name"
        case .otherPrefix: "its name does not begin with the prefix"
        case .partTooLong(let bytes):
            "a part of its name has \(bytes) bytes; the limit of a file name is \(DocumentPath.longestPart)"
        }
    }
}
