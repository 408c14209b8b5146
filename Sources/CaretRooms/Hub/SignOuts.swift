import CaretLog
import CaretWire

/// The sign-outs that this server has read from the store, and how recent they are.
///
/// The server reads them when it gets its first signed token. Other servers may record sign-outs in the same store, so
/// then it reads the new ones again and again.
struct SignOuts: Equatable, Sendable {
    /// How long the server may do without the store, in milliseconds, before it refuses signed tokens.
    private static let longestSilence: Int64 = 5_000
    /// How long a sign-out may matter, in milliseconds: a minute longer than the longest life of a token, because clocks
    /// differ.
    private static let keptTime = Int64(Limits.longestTokenLifeSeconds) * 1_000 + 60_000
    /// Fewer sign-outs are not searched for old ones.
    private static let alwaysKept = 1_000

    /// Tokens that were issued before this time are invalid.
    private var times: [SignOut.Subject: Int64] = [:]
    private var mostBeforeCleaning = SignOuts.alwaysKept
    /// The number of the last sign-out that was read. 0 to read all of them.
    private var last: Int64 = 0
    /// When the read of the current page began. Nil if no read is under way.
    private var readBegan: Int64?
    /// Whether there may be sign-outs that the read under way does not see.
    private var needsAnotherRead = false
    /// When the last page of the last complete read was requested. Nil before the first one.
    private var knownSince: Int64?

    // MARK: Reading from the store

    var wereRead: Bool { knownSince != nil }

    var isBeingRead: Bool { readBegan != nil }

    /// Whether the server may accept signed tokens.
    func areKnown(at now: Int64, sharesStore: Bool) -> Bool {
        guard let knownSince else { return false }
        return !sharesStore || now - knownSince <= SignOuts.longestSilence
    }

    /// Begins to read what is new. Returns the number after which the next page begins. Nil if a read is under way; then
    /// another one follows.
    mutating func beginRead(at now: Int64) -> Int64? {
        if readBegan != nil {
            needsAnotherRead = true
            return nil
        }
        (readBegan, needsAnotherRead) = (now, false)
        return last
    }

    /// Takes a page. Returns the number after which the next one begins. Nil if the read is complete. Sign-outs before
    /// `oldest` no longer matter.
    mutating func read(_ page: SignOutPage, forgettingBefore oldest: Int64, at now: Int64) -> Int64? {
        add(page.signOuts, forgettingBefore: oldest)
        last = page.last
        if page.hasMore {
            readBegan = now
            return last
        }
        (knownSince, readBegan) = (readBegan, nil)
        return needsAnotherRead ? beginRead(at: now) : nil
    }

    /// A read has failed. Returns the number after which the next one begins. Nil if it need not begin now. `retries` is
    /// true if reads are repeated anyway; otherwise the next sign-in reads again.
    mutating func readFailed(retries: Bool, at now: Int64) -> Int64? {
        readBegan = nil
        if !retries { knownSince = nil }
        return retries && needsAnotherRead ? beginRead(at: now) : nil
    }

    /// Reads everything again next time, because the database may have lost its last rows. Then their numbers are given
    /// to others.
    mutating func forgetPosition() { last = 0 }

    // MARK: Signing out

    /// Adds sign-outs. Sign-outs before `oldest` no longer matter.
    mutating func add(_ signOuts: [SignOut], forgettingBefore oldest: Int64) {
        for one in signOuts { times[one.subject] = max(one.before, times[one.subject] ?? .min) }
        guard times.count > mostBeforeCleaning else { return }
        times = times.filter { $0.value >= oldest }
        mostBeforeCleaning = max(SignOuts.alwaysKept, 2 * times.count)
    }

    /// Whether this token of this user is invalid.
    func contain(_ token: SignedCredential, of user: ByteString) -> Bool {
        let subjects = [.user(user)] + (token.id.map { [SignOut.Subject.token($0)] } ?? [])
        return subjects.contains { token.issued < times[$0] ?? .min }
    }

    /// Sign-outs with an earlier time no longer matter: all tokens that they made invalid have ended.
    static func oldest(at now: Int64) -> Int64 { now - keptTime }
}
