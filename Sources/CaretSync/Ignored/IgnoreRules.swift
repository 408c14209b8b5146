import Glibc

/// The patterns of a `.caretignore` file. They mean what they mean in git's `.gitignore`.
package struct IgnoreRules: Equatable, Sendable {
    let text: String
    private let patterns: [Pattern]

    /// One line of the file.
    fileprivate struct Pattern: Equatable {
        /// The name of a file or folder with wildcards; nil for any number of folders.
        var names: [String?]
        /// Matching paths are not ignored.
        var isNegated: Bool
        var isForFolders: Bool
    }

    package init(_ text: String) {
        self.text = text
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = text.utf8.starts(with: byteOrderMark) ? text.utf8.dropFirst(3) : text.utf8[...]
        patterns = bytes.split(separator: UInt8(ascii: "\n")).compactMap { Pattern(line: Array($0)) }
    }

    package static func == (left: IgnoreRules, right: IgnoreRules) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Whether a path, or a folder that it is in, is ignored.
    package func ignores(_ path: String, isFolder: Bool = false) -> Bool {
        if patterns.isEmpty { return false }
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        return names.indices.contains { last in
            let isFolder = isFolder || last < names.count - 1
            let found = patterns.last { $0.matches(names[...last], isFolder: isFolder) }
            return found.map { !$0.isNegated } ?? false
        }
    }
}

extension IgnoreRules.Pattern {
    /// Nil if the line has no pattern.
    init?(line: [UInt8]) {
        var rest = line[...]
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        // A backslash keeps a space at the end, unless the backslash itself follows one.
        while rest.last == UInt8(ascii: " "),
            rest.dropLast().reversed().prefix(while: { $0 == UInt8(ascii: "\\") }).count.isMultiple(of: 2)
        {
            rest.removeLast()
        }
        if rest.first == UInt8(ascii: "#") { return nil }
        isNegated = rest.first == UInt8(ascii: "!")
        if isNegated { rest.removeFirst() }
        let slash = UInt8(ascii: "/")
        isForFolders = rest.last == slash
        if isForFolders { rest.removeLast() }
        if rest.isEmpty { return nil }
        let isAnchored = rest.contains(slash)
        if rest.first == slash { rest.removeFirst() }
        let parts = rest.split(separator: slash, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if !isAnchored {
            // A pattern without a slash matches in every folder.
            names = [nil, parts[0]]
        } else {
            names = parts.map { $0 == "**" ? nil : $0 }
            // A pattern that ends with `**` matches everything in the folder, but not the folder itself.
            if names.last == .some(nil) { names.append("*") }
        }
    }

    /// Whether the whole path matches. After a mismatch, only the last `nil` matches one more folder: if the names before it
    /// match at all, no other choice for an earlier one can help.
    func matches(_ path: ArraySlice<String>, isFolder: Bool) -> Bool {
        if isForFolders, !isFolder { return false }
        var (index, offset) = (0, path.startIndex)
        var retry: (index: Int, offset: Int)?
        while offset < path.endIndex {
            if index < names.count, names[index] == nil {
                index += 1
                retry = (index, offset)
            } else if index < names.count, let name = names[index], fnmatch(name, path[offset], 0) == 0 {
                (index, offset) = (index + 1, offset + 1)
            } else if let last = retry {
                (index, offset) = (last.index, last.offset + 1)
                retry = (index, offset)
            } else {
                return false
            }
        }
        return index == names.count
    }
}
