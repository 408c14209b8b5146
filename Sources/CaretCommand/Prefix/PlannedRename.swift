package import CaretLog

/// The new name of one document, and what prevents the renaming.
package struct PlannedRename: Equatable, Sendable {
    package enum Obstacle: Equatable, Sendable {
        /// Another document has the new name.
        case exists
        /// The protocol does not allow the new name.
        case badName
        /// The new name begins with the old prefix, so the same command would rename the document again.
        case hasOldPrefix
    }

    package let old: String
    package let new: String
    /// Nil if nothing prevents the renaming.
    package let obstacle: Obstacle?

    /// Plans to give one document a new name.
    package init(_ old: String, to new: String, taken: Set<DocumentName>) {
        (self.old, self.new) = (old, new)
        obstacle = PlannedRename.obstacle(to: new, taken)
    }

    /// Plans to replace the prefix of a name. Both prefixes end with a slash, and `old` begins with the first
    /// one.
    package init(_ old: String, from prefix: String, to newPrefix: String, taken: Set<DocumentName>) {
        self.old = old
        new = newPrefix + String(decoding: old.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        let hasOldPrefix = new.utf8.starts(with: prefix.utf8)
        obstacle = hasOldPrefix ? .hasOldPrefix : PlannedRename.obstacle(to: new, taken)
    }

    private static func obstacle(to new: String, _ taken: Set<DocumentName>) -> Obstacle? {
        // `try?`: the caller only needs to know that the name is invalid.
        guard let name = try? DocumentName(new), name.newNameFault == nil else { return .badName }
        return taken.contains(name) ? .exists : nil
    }

    /// The reason in words; nil if nothing prevents the renaming.
    package var problem: String? {
        let names = "\(old.printable) cannot become \(new.printable): "
        return switch obstacle {
        case nil: nil
        case .exists: names + "a document with the new name exists"
        case .badName: names + "the new name is not a valid document name"
        case .hasOldPrefix: names + "the new name also begins with the old prefix"
        }
    }
}
