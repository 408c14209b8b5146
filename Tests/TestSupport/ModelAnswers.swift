package import CaretLog

extension StoreModel {
    /// Runs a call of a room or the hub, and returns the answer.
    package mutating func answer(_ call: StoreCall) -> StoreAnswer {
        switch call {
        case .append(let append): .appended(self.append(append))
        case .appendLocked(let append, let rebase): appendLocked(append, rebase)
        case .pusher(let pusher, let document): .pusher(self.pusher(pusher, in: document))
        case .open(let name, let pusher, let limit):
            .loaded(find(name).flatMap { open($0, by: pusher, limit) })
        case .load(let document): .loaded(load(document))
        case .renewEpochs: .epochsRenewed(renewEpochs())
        case .text(let document, let revision): .text(text(of: document, at: revision))
        case .read(let document, let revision, let limit):
            .read(read(document, after: revision, limit: limit))
        case .blame(let document, let query): .blamed(blame(document, query))
        case .rename(let document, let name): .renamed(rename(document, to: name))
        case .delete(let document, let time): .deleted(delete(document, at: time))
        case .redact(let document, let redaction): .redacted(redact(document, redaction))
        case .find(let name): .found(find(name))
        case .create(let name, let first, let time): .created(create(name, first, at: time))
        case .list(let prefix, let after, let limit):
            .listed(.success(list(prefix: prefix, after: after, limit: limit)))
        case .deleted(let prefix, let after, let limit):
            .listed(.success(deleted(prefix: prefix, after: after, limit: limit)))
        case .undelete(let document): .undeleted(undelete(document))
        case .trim(let document, let revision): .trimmed(trim(document, through: revision))
        case .entries(let documents): .entries(documents.map { entry(of: $0) })
        case .tags(let call): .tags(answer(call))
        case .notes(let call): .notes(answer(call))
        case .tokens(let call): .tokens(answer(call))
        }
    }

    private mutating func appendLocked(_ append: Append, _ rebase: AppendRebase) -> StoreAnswer {
        let answer = appendLocked(append, rebase: rebase.changes)
        return .appendedLocked(missed: answer.missed, answer.outcome)
    }

    private func load(_ document: DocumentID) -> Result<LoadedDocument, StoreRefusal> {
        entry(of: document).flatMap { entry in
            text(of: document, at: nil).map { LoadedDocument(entry, $0) }.mapError(\.storeRefusal)
        }
    }

    private func open(
        _ entry: DocumentEntry, by pusher: Pusher, _ limit: Int
    ) -> Result<LoadedDocument, StoreRefusal> {
        load(entry.id).map {
            var (loaded, all) = ($0, pushers(of: entry.id))
            loaded.opener = all.first { $0.pusher == pusher }?.entry
            loaded.pushers = all.count > limit ? nil : all
            return loaded
        }
    }

    private mutating func answer(_ call: TagCall) -> TagAnswer {
        switch call {
        case .add(let tag, let document, let limit): .added(addTag(tag, to: document, limit: limit))
        case .remove(let name, let document): .removed(removeTag(name, from: document))
        case .list(let document): .listed(tagged(document))
        case .copy(let copy): .copied(self.copy(copy))
        }
    }

    private mutating func answer(_ call: TokenCall) -> TokenAnswer {
        switch call {
        case .add(let user, let grants, let expires, let time):
            .added(addToken(of: user, grants, expires: expires, at: time))
        case .addLink(let document, let name, let access, let expires, let time):
            .added(addLink(to: document, name, access, expires: expires, at: time))
        case .list(let document, let after, let limit, let weight):
            .listed(.success(tokens(linksTo: document, after: after, limit: limit, weighing: weight)))
        case .find(let text): .found(token(shown: text))
        case .revoke(let token, let document): .revoked(revokeToken(token, linkTo: document))
        case .live(let tokens): .live(.success(live(tokens)))
        case .noteUses(let uses): .noted(noteUses(uses))
        case .noteEnds(let tokens): .noted(noteEnds(of: tokens))
        case .signOut(let signOut, let oldest): .noted(add(signOut, forgettingBefore: oldest))
        case .signOuts(let after, let limit): .signOuts(.success(signOuts(after: after, limit: limit)))
        }
    }
}

extension StoreCall {
    /// Whether the call changes the store's contents.
    package var writes: Bool {
        switch self {
        case .append, .appendLocked, .rename, .delete, .undelete, .trim, .redact, .renewEpochs, .create: true
        case .tokens(let tokens): tokens.writes
        case .notes(let notes): notes.writes
        case .tags(.list): false
        case .tags(.add), .tags(.remove), .tags(.copy): true
        case .open, .pusher, .load, .text, .read, .blame, .find, .list, .deleted, .entries: false
        }
    }
}
