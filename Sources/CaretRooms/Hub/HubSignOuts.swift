import CaretLog
import CaretWire

/// Signing users out, and reading whom others have signed out.
extension HubState {
    /// How many sign-outs are read at once.
    private static let signOutPage = 1_000

    mutating func begin(_ sent: SignOutRequest, _ request: HubRequest) {
        do throws(RequestRefusal) {
            let signOut = try SignOut(sent, at: wall)
            call(.tokens(.signOut(signOut, forgettingBefore: oldestSignOut)), for: .signOut(request, signOut))
        } catch {
            refuse(request, error)
        }
    }

    /// Sign-outs before this time no longer matter. If the wall clock was set forward meanwhile, they are kept for longer.
    private var oldestSignOut: Int64 { SignOuts.oldest(at: min(now, wall)) }

    /// The store has answered a sign-out.
    mutating func signedOut(_ signOut: SignOut, _ request: HubRequest, _ answer: StoreAnswer) {
        switch answer {
        case .tokens(.noted(nil)):
            // Administrators who sign themselves out get the answer before they are disconnected.
            self.answer(request, .done(Done()))
            signOuts.add([signOut], forgettingBefore: oldestSignOut)
            endSignedOut()
        case .tokens(.noted(let refusal?)):
            refuse(request, refusal)
            // It may have been recorded all the same.
            readSignOutsAgain()
        default: refuse(request, .unexpectedAnswer)
        }
    }

    /// Makes a sign-in with a signed token wait until the sign-outs were read for the first time. Returns false if it
    /// need not wait.
    mutating func delaysUntilSignOutsAreRead(
        _ signIn: WaitingSignIn, as identity: Identity, of connection: ConnectionID
    ) -> Bool {
        guard case .signed = identity.credential, !signOuts.wereRead else { return false }
        if waitingSignIns.isEmpty { readSignOuts() }
        waitingSignIns[connection] = signIn
        return true
    }

    /// Reads what is new, unless this server has not needed the sign-outs yet.
    mutating func readSignOutsAgain() {
        if signOuts.wereRead || signOuts.isBeingRead { readSignOuts() }
    }

    private mutating func readSignOuts() {
        if let last = signOuts.beginRead(at: now) { readSignOuts(after: last) }
    }

    private mutating func readSignOuts(after last: Int64) {
        call(.tokens(.signOuts(after: last, limit: HubState.signOutPage)), for: .readSignOuts)
    }

    /// The store has answered a page of sign-outs.
    mutating func readSignOuts(_ answer: StoreAnswer) {
        guard case .tokens(.signOuts(.success(let page))) = answer else {
            if let last = signOuts.readFailed(retries: sharesStore, at: now) { readSignOuts(after: last) }
            return refuseWaitingSignIns()
        }
        if let last = signOuts.read(page, forgettingBefore: oldestSignOut, at: now) {
            readSignOuts(after: last)
        }
        if !page.signOuts.isEmpty { endSignedOut() }
        if !signOuts.wereRead { return }
        for signIn in takeWaitingSignIns() {
            switch signIn {
            case .join(let joining): join(joining)
            case .authenticate(let request): ask(request)
            }
        }
    }

    private mutating func refuseWaitingSignIns() {
        for signIn in takeWaitingSignIns() {
            switch signIn {
            case .join(let joining): refuse(joining, .signOutsUnknown)
            case .authenticate(let request): refuse(request, .signOutsUnknown)
            }
        }
    }

    private mutating func takeWaitingSignIns() -> [WaitingSignIn] {
        defer { waitingSignIns = [:] }
        return waitingSignIns.keys.sorted().compactMap { waitingSignIns[$0] }
    }
}

/// A request to sign in with a signed token.
enum WaitingSignIn {
    case join(JoinRequest)
    case authenticate(HubRequest)
}

extension SignOut {
    /// How far `before` may be in the future, in milliseconds. The clock of a backend may be so fast.
    private static let mostAhead: Int64 = 60_000

    fileprivate init(_ sent: SignOutRequest, at wall: Int64) throws(RequestRefusal) {
        let subject: Subject
        switch (sent.user, sent.jti) {
        case (let user?, nil): subject = .user(ByteString(user.string))
        case (nil, let id?): subject = .token(ByteString(id.string))
        default: throw RequestRefusal(.badMessage, "sign_out: needs either user or jti")
        }
        // An earlier time would do nothing. It is probably in seconds, as `iat` is.
        let allowed = max(0, SignOuts.oldest(at: wall))...wall + SignOut.mostAhead
        if let before = sent.before, !allowed.contains(Int64(before)) {
            let times = [Int64(before), allowed.lowerBound, allowed.upperBound].map {
                UTCTime(milliseconds: $0)
            }
            throw RequestRefusal(
                .badMessage, "before: \(times[0]); expected a time from \(times[1]) to \(times[2])")
        }
        // A token of the current second may have been issued a moment ago.
        self.init(subject, before: sent.before.map(Int64.init) ?? (wall / 1_000 + 1) * 1_000)
    }
}

extension RequestRefusal {
    static let signOutsUnknown = RequestRefusal(
        .storageFailed,
        "the server cannot find out who was signed out, so it accepts no signed tokens; try again",
        retryAfterMilliseconds: RequestRefusal.retryWhenAway)
    static let signedOut = RequestRefusal(.tokenEnded, "the token was signed out")
}
