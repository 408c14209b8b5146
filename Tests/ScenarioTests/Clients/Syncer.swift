import CaretCore
import CaretWire

/// A client that keeps files equal to documents. It reads and pushes whole texts, and opens no document.
final class Syncer: Program {
    private struct File {
        /// The content of the file, with plain line breaks.
        var text = TextBuffer()
        /// The server's text that the file was made from. `place` is the position of this text; nil if
        /// unknown.
        var base = TextBuffer()
        var place: WirePosition?
        var isCRLF = false
        /// The push that the server has not answered yet. After a reconnect, the client sends the same push
        /// again.
        var inFlight: Push?
        var pushedText = TextBuffer()
        var last: Push?
        var wantsRead = false
        var isWanted = false
    }

    private unowned let machine: Machine
    private var files: [File] = Plan.names.map { _ in File() }
    private var seq = 0
    private var requests: [RequestID: Int] = [:]

    init(_ machine: Machine) { self.machine = machine }

    private var world: World { machine.world }

    func welcomed() {
        requests = [:]
        for at in files.indices {
            if let push = files[at].inFlight { send(push, at) } else if files[at].wantsRead { read(at) }
        }
    }

    func lost() { requests = [:] }

    func perform(_ operation: ClientOperation) {
        switch operation {
        case .writes(let at, let typings, let crlf):
            files[at].isCRLF = crlf
            files[at].isWanted = true
            let most = world.limits.announced.document * 3 / 4
            let isFull = files[at].text.length.utf8 > most
            let half = [Typing(place: 0, removed: files[at].text.length.scalars / 2, text: "")]
            let change = (isFull ? half : typings).change(in: files[at].text)
            if (try? files[at].text.apply(change)) == nil {
                world.fail(.client, "an edit does not fit the text of a file")
            }
            push(at)
        case .syncs(let at), .opens(let at), .retries(let at): sync(at)
        case .repeats(let at): if machine.isWelcomed, let push = files[at].last { send(push, at) }
        default: break
        }
    }

    private func sync(_ at: Int) {
        files[at].isWanted = true
        if files[at].inFlight == nil { files[at].text == files[at].base ? read(at) : push(at) }
    }

    // MARK: Requests

    private func push(_ at: Int) {
        guard files[at].inFlight == nil else { return }
        seq += 1
        let said =
            files[at].isCRLF
            ? files[at].text.string.split(separator: "\n", omittingEmptySubsequences: false).joined(
                separator: "\r\n")
            : files[at].text.string
        let push = Push(
            document: Names.documents[at], epoch: files[at].place?.epoch,
            base: files[at].place?.revision ?? 0,
            seq: seq, content: .text(WireString(said)), wantsText: true, create: files[at].place == nil)
        files[at].inFlight = push
        files[at].pushedText = files[at].text
        files[at].last = push
        if machine.isWelcomed { send(push, at) }
    }

    private func send(_ push: Push, _ at: Int) {
        if let id = machine.send(.push(push), isAnswered: true) { requests[id] = at }
    }

    private func read(_ at: Int) {
        files[at].wantsRead = true
        guard machine.isWelcomed else { return }
        if let id = machine.send(.read(Read(document: Names.documents[at])), isAnswered: true) {
            requests[id] = at
        }
    }

    // MARK: Answers

    func received(_ envelope: Envelope<ServerMessage>) {
        guard let id = envelope.id, let at = requests.removeValue(forKey: id) else { return }
        switch envelope.message {
        case .ack(let ack): received(ack, at)
        case .text(let text):
            files[at].wantsRead = false
            if files[at].inFlight != nil { return }
            take(
                TextBuffer(normal: text.text), from: files[at].base,
                WirePosition(epoch: text.epoch, revision: text.revision), at)
        case .error(let error): received(error, at)
        default: break
        }
    }

    private func received(_ ack: Ack, _ at: Int) {
        guard let push = files[at].inFlight, push.seq == ack.seq else { return }
        files[at].inFlight = nil
        // An ack does not name its epoch. The client knows the epoch only if its push named one.
        guard let epoch = push.epoch, let text = ack.text else { return read(at) }
        take(
            TextBuffer(normal: text), from: files[at].pushedText,
            WirePosition(epoch: epoch, revision: ack.revision), at)
    }

    /// Merges the file's edits since `known` into a new text of the server, which contains `known`.
    private func take(_ text: TextBuffer, from known: TextBuffer, _ place: WirePosition, _ at: Int) {
        let own = diff(from: known, to: files[at].text)
        let others = diff(from: known, to: text)
        files[at].base = text
        files[at].place = place
        guard let merged = try? text.applying(own.rebased(over: others, tie: .otherFirst)) else {
            return world.fail(.client, "the edits of a file do not fit the server's text")
        }
        files[at].text = merged
        if merged != text { push(at) }
    }

    private func received(_ error: ErrorReport, _ at: Int) {
        guard case .known(let code) = error.code else { return }
        let isOfPush = error.seq != nil && error.seq == files[at].inFlight?.seq
        switch code {
        case .rateLimited, .overloaded, .storageFull, .storageFailed, .pushInFlight:
            world.after(60_000) { [unowned self] in retry(at) }
        case .notFound:
            if isOfPush { files[at].inFlight = nil }
            files[at].wantsRead = false
            files[at].place = nil
            files[at].base = TextBuffer()
        case .epochChanged, .baseAhead, .baseTrimmed, .baseBeforeOwnPush, .seqReused:
            if isOfPush {
                files[at].inFlight = nil
                read(at)
            }
        default: if isOfPush { files[at].inFlight = nil }
        }
    }

    private func retry(_ at: Int) {
        guard machine.isWelcomed else { return }
        if let push = files[at].inFlight {
            if !requests.values.contains(at) { send(push, at) }
        } else if files[at].wantsRead {
            read(at)
        }
    }

    // MARK: After all faults have ended

    func finishWork() {
        for at in files.indices where files[at].isWanted && !requests.values.contains(at) {
            if let push = files[at].inFlight { if machine.isWelcomed { send(push, at) } } else { sync(at) }
        }
    }

    func unfinishedWork() -> String? {
        files.contains { $0.inFlight != nil } ? "a push of a file has no answer yet" : nil
    }

    func checkFinalState() {
        for file in files {
            guard file.isWanted, let place = file.place, let history = world.referee.ledger[place.epoch]
            else { continue }
            if history.text(at: place.revision) != file.base {
                world.fail(.text, "the base of a file differs from revision \(place.revision.value)")
            }
        }
    }
}
