import CaretCore
import CaretWire
import TestSupport

/// Random messages of every type, in both directions.
enum SampleMessages {
    static func client(_ random: inout Seeded) -> [ClientMessage] {
        [
            .hello(hello(&random)), .authenticate(Authenticate(token: text(&random))), .open(open(&random)),
            .close(Close(document: name(&random))),
            .push(push(&random)),
            .select(
                Select(
                    document: name(&random), revision: revision(&random), selections: selections(&random))),
            .diverged(Diverged(document: name(&random), revision: revision(&random))),
            .list(List(prefix: maybe(&random, name), after: maybe(&random, name), limit: page(&random))),
            .read(
                Read(
                    document: name(&random), moment: moment(&random), start: maybe(&random, number),
                    end: maybe(&random, number))),
            .history(
                History(
                    document: name(&random), after: moment(&random), limit: page(&random),
                    wantsEdits: random.chance(50))),
            .blame(
                BlameRequest(
                    document: name(&random), revision: maybe(&random, revision), after: number(&random),
                    limit: page(&random))),
            .restore(
                Restore(
                    document: name(&random), epoch: epoch(&random), revision: revision(&random),
                    seq: number(&random))),
            .follow(Follow(prefix: maybe(&random, name))), .unfollow(Unfollow()),
            .rename(Rename(document: name(&random), to: name(&random))),
            .delete(Delete(document: name(&random))),
            .listDeleted(
                ListDeleted(
                    prefix: maybe(&random, name), after: maybe(&random, number), limit: page(&random))),
            .undelete(Undelete(number: number(&random))),
            .tags(
                .add(AddTag(document: name(&random), name: "draft-1", revision: revision(&random)))),
            .tags(.remove(RemoveTag(document: name(&random), name: "draft-1"))),
            .tags(.list(ListTags(document: name(&random)))),
            .tags(.copy(CopyDocument(document: name(&random), to: name(&random)))),
            .links(.add(AddLink(document: name(&random), rights: .write, seconds: 60))),
            .links(.list(ListLinks(document: name(&random), after: 7))),
            .links(.end(EndLink(document: name(&random), number: 7))), .ping(Ping()),
            .pong(Pong()),
        ] + notes(&random).map { .notes($0) } + administration(&random).map { .admin($0) }
    }

    private static func notes(_ random: inout Seeded) -> [NoteRequest] {
        [
            .add(
                AddNote(
                    document: name(&random), request: maybe(&random, epoch), parent: maybe(&random, number),
                    revision: maybe(&random, revision), range: maybe(&random, range),
                    edits: maybe(&random, edits), text: text(&random))),
            .change(
                ChangeNote(
                    document: name(&random), note: number(&random), version: number(&random),
                    revision: maybe(&random, revision), range: maybe(&random, range),
                    edits: maybe(&random, edits), text: maybe(&random, text),
                    state: maybe(&random) { $0.pick(NoteState.allCases) })),
            .remove(
                RemoveNote(document: name(&random), note: number(&random), version: number(&random))),
            .list(
                ListNotes(
                    document: name(&random), since: number(&random), after: number(&random),
                    limit: page(&random))),
        ]
    }

    private static func range(_ random: inout Seeded) -> WireRange {
        let start = number(&random) / 2
        return WireRange(start, start + random.number(0...9))
    }

    private static func note(_ random: inout Seeded) -> NoteSummary {
        NoteSummary(
            note: number(&random), version: number(&random), parent: maybe(&random, number),
            range: maybe(&random, range), quote: text(&random), text: text(&random),
            edits: maybe(&random, edits), user: text(&random), time: number(&random),
            edited: maybe(&random, number), state: random.pick(NoteState.allCases),
            accepted: maybe(&random, revision))
    }

    private static func administration(_ random: inout Seeded) -> [AdminRequest] {
        [
            .listTokens(ListTokens(after: maybe(&random, number), limit: page(&random))),
            .addToken(
                AddToken(
                    user: name(&random), grants: few(&random, grant), expires: maybe(&random, number))),
            .revokeToken(RevokeToken(number: number(&random))),
            .signOut(
                SignOutRequest(
                    user: maybe(&random, name), jti: random.chance(50) ? "token-7" : nil,
                    before: maybe(&random, number))), .counters(ReadCounters()),
            .listNodes(ListNodes()), .who(Who(after: maybe(&random, number), limit: page(&random))),
            .trim(
                Trim(
                    document: name(&random), revision: revision(&random), isDryRun: random.chance(50))),
            .redact(
                Redact(document: name(&random), passage: text(&random), isDryRun: random.chance(50))),
            .verify(Verify(document: maybe(&random, name))), .backUp(BackUp()),
        ]
    }

    static func server(_ random: inout Seeded) -> [ServerMessage] {
        streamed(&random) + answers(&random)
    }

    private static func streamed(_ random: inout Seeded) -> [ServerMessage] {
        [
            .ack(
                Ack(
                    document: name(&random), seq: number(&random), revision: revision(&random),
                    edits: maybe(&random, edits), text: maybe(&random, text),
                    unchanged: random.chance(50), duplicate: random.chance(50))),
            .change(
                WireChange(
                    document: name(&random), revision: revision(&random),
                    origin: random.chance(50)
                        ? .one(author(&random)) : .squashed(from: revision(&random)),
                    edits: edits(&random))),
            .check(
                Check(
                    document: name(&random), revision: revision(&random), length: number(&random),
                    crc32: UInt32(truncatingIfNeeded: random.next() >> (random.chance(20) ? 52 : 0)))),
            .peer(
                PeerChange(
                    document: name(&random), session: text(&random),
                    news: random.chance(30)
                        ? .left
                        : .selected(
                            revision: revision(&random), selections: selections(&random),
                            introduction: maybe(&random, introduction)))),
            .gone(
                Gone(
                    document: name(&random), epoch: maybe(&random, epoch),
                    reason: random.pick(GoneReason.allCases), to: maybe(&random, name),
                    isFollowed: random.chance(50))),
            .resync(
                Resync(
                    document: name(&random), epoch: epoch(&random), revision: revision(&random),
                    text: text(&random), reason: random.pick(ResyncReason.allCases),
                    own: maybe(&random, own))),
            .rights(RightsChange(document: name(&random), rights: random.pick(Rights.allCases))),
            .document(summary(&random)), .ping(Ping()), .pong(Pong()),
            .bye(
                Bye(
                    reason: random.pick(ByeReason.allCases),
                    retryAfterMilliseconds: maybe(&random, number))),
        ]
    }

    private static func answers(_ random: inout Seeded) -> [ServerMessage] {
        [
            .welcome(welcome(&random)), .authenticated(authenticated(&random)), .opened(opened(&random)),
            .closed(Closed(document: name(&random))),
            .listed(Listed(documents: few(&random, summary), hasMore: random.chance(50))),
            .deleted(DeletedDocuments(few(&random, deletedDocument), hasMore: random.chance(50))),
            .tags(
                TagList(
                    document: name(&random),
                    tags: few(&random) {
                        TagList.Item(
                            name: text(&$0), revision: revision(&$0), user: text(&$0), time: number(&$0))
                    })),
            .notes(
                .written(
                    NoteWritten(
                        document: name(&random), note: number(&random), version: number(&random),
                        revision: maybe(&random, revision)))),
            .notes(
                .list(
                    NoteList(
                        document: name(&random), epoch: epoch(&random), revision: revision(&random),
                        count: number(&random), whole: random.chance(50),
                        rights: random.pick(NoteRights.allCases), notes: few(&random, note),
                        hasMore: random.chance(50)))),
            .noted(Noted(document: name(&random))),
            .text(
                WireText(
                    document: name(&random), epoch: epoch(&random), revision: revision(&random),
                    text: text(&random), newline: random.pick(Newline.allCases),
                    start: maybe(&random, number), length: maybe(&random, number))),
            .revisions(
                Revisions(
                    document: name(&random), revisions: few(&random, summaryOfRevision),
                    hasMore: random.chance(50))),
            .blamed(
                Blamed(
                    document: name(&random), epoch: epoch(&random), revision: revision(&random),
                    ranges: few(&random) {
                        BlamedLines(
                            line: number(&$0), count: number(&$0), revision: revision(&$0),
                            author: maybe(&$0, author))
                    }, hasMore: random.chance(50))),
            .done(Done()),
            .error(
                ErrorReport(
                    random.pick(ErrorCode.allCases), SampleText.make(upTo: 20, &random),
                    document: maybe(&random, name), seq: maybe(&random, number),
                    head: maybe(&random, position),
                    cause: random.chance(30) ? random.pick(TrimmedCause.allCases) : nil,
                    retryAfterMilliseconds: maybe(&random, number))),
        ] + administered(&random).map { .admin($0) }
    }

    private static func administered(_ random: inout Seeded) -> [AdminAnswer] {
        [
            .tokens(Tokens(few(&random, token), hasMore: random.chance(50))),
            .tokenAdded(TokenAdded(number: number(&random), token: text(&random))),
            .counted(
                CounterValues(
                    since: number(&random),
                    counters: few(&random) { CounterValues.Counter(name: text(&$0), value: number(&$0)) },
                    latencies: few(&random) {
                        CounterValues.Latency(
                            name: text(&$0), count: number(&$0), median: number(&$0),
                            percentile99: number(&$0), largest: number(&$0), sum: maybe(&$0, number),
                            buckets: few(&$0) {
                                CounterValues.Bucket(bound: number(&$0), count: number(&$0))
                            })
                    })),
            .present(ConnectionPage(few(&random, connection), hasMore: random.chance(50))),
            .nodes(ServerList(few(&random, server))),
            .trimmed(
                Trimmed(
                    document: name(&random), start: revision(&random), revisions: number(&random),
                    isDryRun: random.chance(50))),
            .redacted(redacted(&random)),
            .progress(MaintenanceProgress(done: number(&random), of: number(&random))),
            .verified(
                Verified(
                    documents: number(&random), revisions: number(&random),
                    findings: few(&random) {
                        Verified.Finding(
                            number: maybe(&$0, number), document: maybe(&$0, name), message: text(&$0))
                    }, hasMore: random.chance(50))),
            .backedUp(
                BackedUp(file: text(&random), bytes: number(&random), documents: number(&random))),
        ]
    }

    private static func connection(_ random: inout Seeded) -> ConnectionSummary {
        ConnectionSummary(
            number: number(&random), user: text(&random), client: text(&random), peer: maybe(&random, text),
            since: number(&random), documents: few(&random, name), behind: few(&random, name))
    }

    private static func redacted(_ random: inout Seeded) -> Redacted {
        Redacted(
            document: name(&random), epoch: text(&random), revision: revision(&random),
            containing: number(&random), notes: maybe(&random, number), inHead: number(&random),
            changed: number(&random),
            authors: few(&random) {
                Redacted.Author(
                    user: text(&$0), revisions: number(&$0), first: revision(&$0), last: revision(&$0),
                    since: number(&$0), until: number(&$0))
            }, backups: few(&random, text), hasMore: random.chance(50), isErased: random.chance(50),
            isDryRun: random.chance(50))
    }

    private static func deletedDocument(_ random: inout Seeded) -> DeletedDocument {
        DeletedDocument(
            number: number(&random), document: name(&random), revision: revision(&random),
            length: number(&random), updated: number(&random), deleted: number(&random))
    }

    static func id(_ random: inout Seeded) -> RequestID? {
        if random.chance(30) { return nil }
        if random.chance(50) { return .number(number(&random) * (random.chance(50) ? 1 : -1)) }
        return .text(WireString(String(repeating: "é", count: random.number(0...32))))
    }

    private static func hello(_ random: inout Seeded) -> Hello {
        Hello(
            client: WireString(String(repeating: "~", count: random.number(8...64))),
            units: few(&random) { $0.pick(CodeUnit.all) }, token: maybe(&random, text),
            info: info(&random))
    }

    private static func server(_ random: inout Seeded) -> ServerSummary {
        ServerSummary(
            name: text(&random), address: maybe(&random, text), version: text(&random),
            since: number(&random),
            silent: number(&random), connections: number(&random), documents: number(&random),
            isAnswering: random.chance(50))
    }

    private static func welcome(_ random: inout Seeded) -> Welcome {
        var limits = Limits.Announced()
        limits.line = number(&random)
        limits.selections = number(&random)
        limits.pushesPerSecond = maybe(&random, number)
        return Welcome(
            unit: random.pick(CodeUnit.all), server: text(&random), user: text(&random),
            client: maybe(&random, text), features: few(&random, text), limits: limits,
            ping: number(&random), page: maybe(&random, text), store: maybe(&random, text),
            node: maybe(&random, text), rights: maybe(&random) { $0.pick(Rights.allCases) },
            grants: few(&random, grant), expires: maybe(&random, number),
            expiresInMilliseconds: maybe(&random, number), info: info(&random))
    }

    private static func authenticated(_ random: inout Seeded) -> Authenticated {
        Authenticated(
            user: text(&random), changed: random.chance(50),
            rights: maybe(&random) { $0.pick(Rights.allCases) }, grants: few(&random, grant),
            expires: maybe(&random, number), expiresInMilliseconds: maybe(&random, number))
    }

    private static func open(_ random: inout Seeded) -> Open {
        Open(
            document: name(&random), create: random.chance(50), resume: maybe(&random, position),
            mode: random.pick(OpenMode.allCases), squash: random.chance(50))
    }

    private static func opened(_ random: inout Seeded) -> Opened {
        let content: [Opened.Content] = [.text(text(&random)), .resumed, .textAfterAll(text(&random))]
        return Opened(
            document: name(&random), epoch: epoch(&random), revision: revision(&random),
            content: random.pick(content), rights: random.pick(Rights.allCases),
            newline: random.pick(Newline.allCases),
            peers: few(&random) {
                Peer(session: text(&$0), introduction: introduction(&$0), selections: selections(&$0))
            },
            own: maybe(&random, own))
    }

    private static func push(_ random: inout Seeded) -> Push {
        Push(
            document: name(&random), epoch: maybe(&random, epoch), base: revision(&random),
            seq: number(&random),
            content: random.chance(50) ? .edits(edits(&random)) : .text(text(&random)),
            wantsText: random.chance(50), create: random.chance(50), exact: random.chance(20))
    }

    static func text(_ random: inout Seeded) -> WireString {
        var text = SampleText.make(upTo: 30, &random)
        if random.chance(30) { text += random.pick(["\"", "\\", "\u{1}\u{1F}", "\r\n", "\u{8}\u{C}", "/"]) }
        if random.chance(10) { text += SampleText.lines(bytes: 300, &random) }
        return WireString(text)
    }

    static func name(_ random: inout Seeded) -> WireString {
        WireString(random.pick(["a", "notes/today", "é/\u{301}", String(repeating: "x", count: 512)]))
    }

    private static func epoch(_ random: inout Seeded) -> WireString {
        WireString(random.pick(["e7", "", String(repeating: "é", count: 32)]))
    }

    /// Random numbers of every size, including the largest.
    static func number(_ random: inout Seeded) -> Int {
        random.chance(10) ? Limits.integer : Int(random.next() >> UInt64(random.number(11...63)))
    }

    private static func revision(_ random: inout Seeded) -> Revision { Revision(number(&random)) }

    private static func position(_ random: inout Seeded) -> WirePosition {
        WirePosition(epoch: epoch(&random), revision: revision(&random))
    }

    private static func own(_ random: inout Seeded) -> OwnPush {
        OwnPush(seq: number(&random), revision: revision(&random))
    }

    private static func moment(_ random: inout Seeded) -> Moment {
        random.pick([.unspecified, .revision(revision(&random)), .time(number(&random))])
    }

    private static func page(_ random: inout Seeded) -> Int { random.number(Limits.items) }

    private static func author(_ random: inout Seeded) -> WireChange.Author {
        WireChange.Author(user: text(&random), client: text(&random), time: number(&random))
    }

    private static func introduction(_ random: inout Seeded) -> Introduction {
        Introduction(user: text(&random), client: text(&random), info: info(&random))
    }

    private static func info(_ random: inout Seeded) -> WireInfo? {
        let infos = [
            ##"{"name":"Ann","color":"#c33"}"##, "{}", #"{ "a" : [1.5e3, null, {"b\u0020":"\""}] }"#,
        ]
        return random.chance(30) ? nil : WireInfo(json: Array(random.pick(infos).utf8))
    }

    private static func summary(_ random: inout Seeded) -> DocumentSummary {
        DocumentSummary(
            document: name(&random), epoch: epoch(&random), revision: revision(&random),
            length: number(&random), updated: number(&random))
    }

    private static func summaryOfRevision(_ random: inout Seeded) -> RevisionSummary {
        RevisionSummary(
            revision: revision(&random), author: author(&random), inserted: number(&random),
            deleted: number(&random), edits: maybe(&random, edits))
    }

    private static func grant(_ random: inout Seeded) -> WireGrant {
        let scopes: [WireGrant.Scope] = [.document(name(&random)), .prefix(name(&random)), .prefix("")]
        return WireGrant(random.pick(GrantedRights.allCases), to: random.pick(scopes))
    }

    private static func token(_ random: inout Seeded) -> TokenSummary {
        let details = TokenDetails(
            user: text(&random), created: number(&random), expires: maybe(&random, number),
            lastUse: maybe(&random, number), grants: few(&random, grant))
        return TokenSummary(number: number(&random), random.chance(20) ? .damaged : .sound(details))
    }

    private static func edits(_ random: inout Seeded) -> [WireEdit] {
        few(&random) { random in
            let ends = [number(&random), number(&random)].sorted()
            return WireEdit(WireRange(ends[0], ends[1]), text(&random))
        }
    }

    private static func selections(_ random: inout Seeded) -> [WireSelection] {
        few(&random) { WireSelection(number(&$0), number(&$0)) }
    }

    private static func few<Value>(
        _ random: inout Seeded, _ make: (inout Seeded) -> Value
    ) -> [Value] {
        (0..<random.number(0...4)).map { _ in make(&random) }
    }

    private static func maybe<Value>(
        _ random: inout Seeded, _ make: (inout Seeded) -> Value
    ) -> Value? {
        random.chance(50) ? make(&random) : nil
    }
}

extension ClientMessage {
    func line(id: RequestID? = nil) -> [UInt8] {
        var writer = JSONWriter()
        encode(id: id, into: &writer)
        return writer.bytes.dropLast()
    }
}

extension ServerMessage {
    func line(id: RequestID? = nil) -> [UInt8] {
        var writer = JSONWriter()
        encode(id: id, into: &writer)
        return writer.bytes.dropLast()
    }
}

/// The message that a line contains, or why the line is refused.
func decoded(_ line: some Sequence<UInt8>) -> Result<Envelope<ClientMessage>, WireFault> {
    var decoder = MessageDecoder()
    do throws(WireFault) {
        return .success(try decoder.clientMessage(Array(line)))
    } catch {
        return .failure(error)
    }
}

func decoded(_ line: String) -> Result<Envelope<ClientMessage>, WireFault> { decoded(line.utf8) }

extension Result {
    var fault: Failure? {
        if case .failure(let fault) = self { return fault }
        return nil
    }

    var value: Success? { try? get() }
}
