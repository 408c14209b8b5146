import CaretLog

/// The path of a document's file in a folder: the parts of the document's name after a prefix.
///
/// A name may come from anyone: a server that lies, or somebody on the wire. So whoever uses one as a path makes one of
/// these first. No part is empty, `.` or `..`, and none has a `/` or a control character.
package struct DocumentPath: Equatable, Sendable {
    /// Why a name is no path.
    package enum Fault: Error, Equatable {
        /// The protocol allows no document of that name.
        case invalidName
        /// It does not begin with the prefix.
        case otherPrefix
        /// File systems here take no part of so many bytes.
        case partTooLong(bytes: Int)
    }

    /// Bytes of a part that every file system here takes.
    static let longestPart = 255

    /// At least one.
    let parts: [String]

    /// The prefix is empty, or ends with a `/`.
    package init(of document: String, under prefix: String = "") throws(Fault) {
        do throws(DocumentName.Fault) { _ = try DocumentName(document) } catch { throw .invalidName }
        guard document.utf8.starts(with: prefix.utf8) else { throw .otherPrefix }
        let parts = document.utf8.dropFirst(prefix.utf8.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // Parts of a valid name: only the prefix itself leaves none.
        if parts.contains(where: \.isEmpty) { throw .otherPrefix }
        if let long = parts.first(where: { $0.count > DocumentPath.longestPart }) {
            throw .partTooLong(bytes: long.count)
        }
        self.parts = parts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Under the folder, with `/` between its parts.
    package var text: String { parts.joined(separator: "/") }

    /// A part begins with a dot, so that tools and people pass it over.
    var isHidden: Bool { parts.contains { $0.utf8.first == UInt8(ascii: ".") } }
}

extension DocumentPath.Fault {
    /// For a person.
    var words: String {
        switch self {
        case .invalidName: "no document can have this name"
        case .otherPrefix: "its name does not begin with the prefix"
        case .partTooLong(let bytes):
            "a part of its name has \(bytes) bytes, and a file's name may have \(DocumentPath.longestPart)"
        }
    }
}
