import Glibc

/// The protocol that a server and its crowd speak.
enum WireDialect {
    /// Caret's protocol.
    case caret
    /// The lines that `CBareServer.h` describes.
    case bare
    /// Updates of Yjs in messages of a web socket.
    case yjs
}

// The part that differs between the protocols. The other files count the results in the same way for every
// protocol.
extension CrowdLoad {
    mutating func greet(_ index: Int) {
        let document = peers[index].document
        switch dialect {
        case .yjs: greetAsYjs(index)
        case .bare: peers[index].channel.send("J\(document)")
        case .caret:
            peers[index].channel.open()
            peers[index].channel.send(ClientChannel.hello(as: "bench-\(index + 100_000)"))
            peers[index].channel.send(#"{"type":"open","doc":"\#(Crowd.name(of: document))"}"#)
        }
    }

    /// Handles all complete messages. Returns the index of the first byte after them.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ index: Int, _ now: Double) -> Int {
        if dialect == .yjs { return handleFrames(of: bytes, index, now) }
        if case .webSocket = crowd.transport { return handleFrames(of: bytes, index, now) }
        var start = 0
        while let base = bytes.baseAddress, let stop = memchr(base + start, 0x0A, bytes.count - start) {
            let line = UnsafeRawBufferPointer(
                start: base + start, count: UnsafeRawPointer(stop) - (base + start))
            if dialect == .caret { handleMessage(line, index, now) } else { handleBare(line, index, now) }
            start += line.count + 1
        }
        return start
    }

    /// Handles all complete frames. Returns the index of the first byte after them.
    private mutating func handleFrames(of bytes: UnsafeRawBufferPointer, _ index: Int, _ now: Double) -> Int {
        var start = 0
        while let frame = WebSocket.frame(in: bytes, at: start) {
            start += frame.count
            switch frame.kind {
            case .text: handleMessage(frame.payload, index, now)
            case .binary: handleYjs(frame.payload, index, now)
            case .ping: WebSocket.send(Array(frame.payload), as: .pong, to: peers[index].socket)
            case .pong: continue
            case .close: preconditionFailure("the server closed a connection")
            }
        }
        return start
    }

    private mutating func handleBare(_ line: UnsafeRawBufferPointer, _ index: Int, _ now: Double) {
        let next = peers[index].position + 1
        switch line[0] {
        case UInt8(ascii: "P"): delivered(next, index, now) { line[1] }
        case UInt8(ascii: "A"):
            advance(index, to: next, by: index)
            acked(index, at: now)
        default: opening -= 1
        }
    }

    private mutating func handleMessage(_ line: UnsafeRawBufferPointer, _ index: Int, _ now: Double) {
        let document = peers[index].document
        switch line.kind {
        case .change?:
            let place = documents[document].changeRevision
            delivered(line.number(at: place), index, now) {
                line[line.end(of: #""text":""#, from: place)]
            }
        case .ack?:
            let place = documents[document].ackSeq
            precondition(
                line.number(at: place) == peers[index].seq, "the server acked another push: \(line.string)")
            let revision = line.number(at: line.end(of: #""rev":"#, from: place))
            advance(index, to: revision, by: index)
            acked(index, at: now)
        case .opened?: opened(line, index)
        case .resync?: handleResync(line, index)
        case .ping?: peers[index].channel.send(#"{"type":"pong"}"#)
        case .welcome?, .check?: return
        default: preconditionFailure("the server sent an unexpected line: \(line.string)")
        }
    }

    private mutating func opened(_ line: UnsafeRawBufferPointer, _ index: Int) {
        let document = peers[index].document
        let revision = line.number(at: line.end(of: #""rev":"#))
        documents[document].start = revision
        documents[document].head = revision
        peers[index].position = revision
        peers[index].push?.begin(epoch: line.word(at: line.end(of: #""epoch":""#)))
        opening -= 1
    }

    /// Handles a resync: the client was too far behind, so the server sent the whole text again.
    private mutating func handleResync(_ line: UnsafeRawBufferPointer, _ index: Int) {
        let document = peers[index].document
        precondition(!peers[index].isInFlight, "a writer received a resync: \(line.string)")
        let revision = line.number(at: line.end(of: #""rev":"#))
        // The load does not know when these revisions were written.
        if revision > documents[document].head { addRevisions(document, to: revision, by: nil) }
        outstandingDeliveries -= revision - peers[index].position
        peers[index].position = revision
        resyncs += 1
    }
}
