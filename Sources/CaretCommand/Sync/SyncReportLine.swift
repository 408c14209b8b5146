import CaretSync

extension SyncReport {
    private var word: String {
        switch self {
        case .pushed: "pushed"
        case .written: "written"
        case .renamedHere, .renamedElsewhere: "renamed"
        case .deletedHere, .deletedElsewhere: "deleted"
        case .leftAlone: "left_alone"
        case .refused: "refused"
        case .notSynced: "held_back"
        }
    }

    func json(_ path: String, _ document: String) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("event", .text(word)), ("file", .text(path)), ("doc", .text(document)),
        ]
        switch self {
        case .pushed(let revision): members.append(("rev", .number(revision)))
        case .written(let revision, let users):
            members += [("rev", .number(revision)), ("by", .list(users.map { .text($0) }))]
        case .renamedHere(let new): members += [("to", .text(new)), ("by", .text("here"))]
        case .renamedElsewhere(let new): members += [("to", .text(new)), ("by", .text("elsewhere"))]
        case .deletedHere: members.append(("by", .text("here")))
        case .deletedElsewhere: members.append(("by", .text("elsewhere")))
        case .leftAlone(let reason): members.append(("reason", .text(reason.words)))
        case .refused(let reason), .notSynced(let reason): members.append(("reason", .text(reason)))
        }
        return .object(members)
    }

    package func line(_ path: String, _ style: Style) -> String {
        let path = style.painted(path.printable, .location)
        return switch self {
        case .pushed(let revision): "\(path) → revision \(revision)"
        case .written(let revision, let users):
            "\(path) ← revision \(revision)"
                + (users.isEmpty ? "" : " by \(users.map(\.printable).joined(separator: ", "))")
        case .renamedHere(let new): "\(path) → renamed \(new.printable)"
        case .renamedElsewhere(let new): "\(path) ← renamed \(new.printable)"
        case .deletedHere: "\(path) → deleted"
        case .deletedElsewhere: "\(path) ← deleted"
        case .leftAlone(let reason): "\(path) \(reason.words.printable)"
        case .refused(let reason): "\(path) not pushed: \(reason.printable)"
        case .notSynced(let reason): "\(path) not synced: \(reason.printable)"
        }
    }
}

extension SkipReason {
    var words: String {
        switch self {
        case .binary: "left alone: it is not UTF-8 text"
        case .tooLarge(let bytes, let limit):
            "left alone: it has \(bytes.counting("byte")); the limit of a document is \(limit)"
        case .notRegularFile: "left alone: not a regular file"
        case .unreadable(let reason): "left alone: cannot be read: \(reason)"
        case .invalidName: "left alone: its name must be valid for both a file and a document"
        case .folder: "left alone: it is a folder on this machine"
        case .syncedFolder: "left alone: another `caret sync` already syncs this folder"
        case .ignored: "left alone: .caretignore excludes it; the document stays as it is"
        case .blocked(let obstacle):
            "left alone: \(obstacle) is not a folder on this machine, and links are not followed"
        }
    }
}
