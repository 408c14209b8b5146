import CaretLog
import CaretRooms
import CaretWire
import TestSupport
import Testing

@Suite("hub: the last uses of tokens")
struct HubTokenUseTests {
    private let world = ServerWorld { $0.pingSeconds = 1_000_000 }
    private let admin: TestClient
    private let ann: TokenText
    private static let hour = TokenUses.interval

    init() throws {
        world.anonymous = .admin
        admin = world.connection()
        admin.says(#"{"type":"hello","protocol":1,"client":"the-admin"}"#)
        ann = try world.store.addToken(of: UserName("ann"), .all, at: 5).get()
    }

    private func connect() -> TestClient {
        let client = world.connection()
        client.says(#"{"type":"hello","protocol":1,"client":"ann-client","token":"\#(ann.bytes)"}"#)
        return client
    }

    /// The last use in the list of tokens.
    private var listed: Int? {
        get throws {
            var decoder = MessageDecoder()
            let line = admin.askedInFull(#"{"type":"list_tokens"}"#).last ?? ""
            guard case .admin(.tokens(let page)) = try decoder.serverMessage(Array(line.utf8))?.message,
                case .sound(let details)? = page.tokens.first?.state
            else { throw Unexpected(what: "no token in \(line)") }
            return details.lastUse
        }
    }

    /// The last use that the store has recorded.
    private var stored: Int64? {
        get throws {
            let page = world.store.tokens(after: nil, limit: 1, weighing: 1)
            guard case .sound(_, let lastUse)? = page.items.first else {
                throw Unexpected(what: "there is no token")
            }
            return lastUse
        }
    }

    private var recordings: Int {
        world.calls.count { if case .tokens(.noteUses) = $0 { true } else { false } }
    }

    /// Rule A17.
    @Test("the list shows uses at once; for connected clients, the current time")
    func listing() throws {
        #expect(try listed == nil)
        let client = connect()
        world.pass(milliseconds: 1_000)
        #expect(try listed == 11_000)
        world.pass(milliseconds: 1_000)
        client.lose()
        world.pass(milliseconds: 5_000)
        #expect(try listed == 12_000)
        #expect(try stored == nil && recordings == 0)
    }

    /// Rule A17.
    @Test("uses are recorded once an hour, also of clients that stay connected")
    func hourly() throws {
        let client = connect()
        client.lose()
        _ = connect()
        let begin = world.now
        world.pass(milliseconds: HubTokenUseTests.hour - 1)
        #expect(try stored == nil)
        world.pass(milliseconds: 1)
        #expect(try stored == begin + HubTokenUseTests.hour && recordings == 1)
        world.pass(milliseconds: HubTokenUseTests.hour - 1)
        #expect(recordings == 1)
        world.pass(milliseconds: 1)
        #expect(try stored == begin + 2 * HubTokenUseTests.hour && recordings == 2)
    }

    @Test("a token that is no longer used causes no writes")
    func unused() throws {
        let client = connect()
        world.pass(milliseconds: 7)
        client.lose()
        for _ in 0..<4 { world.pass(milliseconds: HubTokenUseTests.hour) }
        #expect(try stored == 10_007 && recordings == 1)
        #expect(try listed == 10_007)
    }

    @Test("a shutdown records all uses")
    func shutdown() throws {
        _ = connect()
        world.pass(milliseconds: 1_000)
        world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
        world.run()
        #expect(try stored == 11_000 && world.isFinished)
    }

    @Test("if the disk is full, the uses are recorded an hour later")
    func trouble() throws {
        let client = connect()
        client.lose()
        world.store.trouble = .full
        world.pass(milliseconds: HubTokenUseTests.hour)
        #expect(try stored == nil && recordings == 1)
        #expect(try listed == 10_000)
        world.store.trouble = nil
        world.pass(milliseconds: HubTokenUseTests.hour)
        #expect(try stored == 10_000 && recordings == 2)
    }

    @Test("a use during the recording is recorded in the next hour")
    func meanwhile() throws {
        connect().lose()
        world.holdsAnswer = { if case .tokens(.noteUses) = $0 { true } else { false } }
        world.pass(milliseconds: HubTokenUseTests.hour)
        #expect(try stored == 10_000)
        world.pass(milliseconds: 5)
        connect().lose()
        world.release()
        let time = 10_005 + HubTokenUseTests.hour
        #expect(try listed == Int(time) && stored == 10_000)
        world.pass(milliseconds: HubTokenUseTests.hour)
        #expect(try stored == time && recordings == 2)
    }

    @Test("clients without a token cause no writes")
    func tokenless() {
        world.pass(milliseconds: HubTokenUseTests.hour)
        world.hubEvent(.shutDown(retryAfterMilliseconds: nil))
        world.run()
        #expect(world.calls.isEmpty && world.isFinished)
    }

    @Test("one call records at most 1,000 uses, and a refusal ends the round")
    func batches() {
        var uses = TokenUses()
        let tokens = (1...Int64(2 * TokenUses.mostPerCall + 1)).map { TokenID($0) }
        for token in tokens { uses.note(token, at: token.value) }
        #expect(uses.due == 1 + TokenUses.interval)
        uses.beginRound(at: 9_000)
        #expect(uses.due == 9_000 + TokenUses.interval)
        var sizes: [Int] = []
        while let next = uses.nextUses() {
            sizes.append(next.count)
            uses.recorded(next)
        }
        #expect(sizes == [TokenUses.mostPerCall, TokenUses.mostPerCall, 1])
        #expect(tokens.allSatisfy { uses.time(of: $0) == nil })
        uses.beginRound(at: 10_000)
        #expect(uses.due == nil && uses.nextUses() == nil)
        for token in tokens { uses.note(token, at: 11_000) }
        uses.beginRound(at: 12_000)
        #expect(uses.nextUses()?.count == TokenUses.mostPerCall)
        uses.cancelRound()
        #expect(uses.nextUses() == nil && uses.time(of: tokens[0]) == 11_000)
    }
}
