import CaretLog
import CaretWire

/// Signing users out, and reading whom others have signed out.
extension HubState {
    /// How many sign-outs are read at once.
    private static let signOutPage = 1_000

    mutating func beginSignOut(_ job: AdminJob, _ sent: SignOutRequest) {
        do throws(RequestRefusal) {
            let signOut = try SignOut(sent, at: wall)
            // If the wall clock was set forward meanwhile, a sign-out is kept for longer.
            let oldest = SignOuts.oldest(at: min(now, wall))
            call(.tokens(.signOut(signOut, forgettingBefore: oldest)), for: .signOut(job, signOut))
        } catch {
            refuse(job.request, error)
        }
    }

    /// The store has answered a sign-out.
    mutating func signedOut(_ signOut: SignOut, _ job: AdminJob, _ answer: StoreAnswer) {
        switch answer {
        case .tokens(.noted(nil)):
            // Administrators who sign themselves out get the answer before they are disconnected.
            self.answer(job.request, .done(Done()))
            signOuts.add([signOut], at: min(now, wall))
            endSignedOut()
        case .tokens(.noted(let refusal?)):
            refuse(job.request, refusal)
            // It may have been recorded all the same.
            readSignOutsAgain()
        default: refuse(job.request, .unexpectedAnswer)
        }
    }

    /// Makes a sign-in with a signed token wait until the sign-outs were read for the first time. Returns false if it
    /// need not wait. `event` is the sign-in.
    mutating func waitsForSignOuts(
        _ identity: Identity, _ event: HubEvent, from connection: ConnectionID
    ) -> Bool {
        guard case .signed = identity.credential, !signOuts.wereRead else { return false }
        if waitingSignIns.isEmpty { readSignOuts() }
        waitingSignIns[connection] = event
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
        if let last = signOuts.read(page, at: min(now, wall)) { readSignOuts(after: last) }
        if !page.signOuts.isEmpty { endSignedOut() }
        if signOuts.wereRead {
            for event in takeWaitingSignIns() { route(event) }
        }
    }

    private mutating func refuseWaitingSignIns() {
        for event in takeWaitingSignIns() {
            switch event {
            case .join(let joining): refuse(joining, .signOutsUnknown)
            case .ask(let request): refuse(request, .signOutsUnknown)
            // Nothing else waits.
            default: break
            }
        }
    }

    private mutating func takeWaitingSignIns() -> [HubEvent] {
        defer { waitingSignIns = [:] }
        return waitingSignIns.keys.sorted().compactMap { waitingSignIns[$0] }
    }
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
