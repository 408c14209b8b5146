import CaretFormat
package import CaretLog
package import CaretRooms
package import CaretWire
@preconcurrency import Dispatch
import Synchronization

/// Accepts clients that have a token of the store, or a signed one.
///
/// After too many unknown tokens from an address, the tokens of the store that it shows are refused for a while
/// without a lookup, except those that were accepted in the last day. Signatures cannot be
/// guessed, and a check is cheap, so signed tokens are always checked. But invalid ones use up the same slots. After
/// too many of them, the client must wait.
package final class TokenAuthenticator: Authenticator {
    package typealias SignedCheck = @Sendable (WireString) -> (@Sendable () -> Authentication)?

    /// Why a login failed.
    package enum Failure: Sendable {
        case unknownToken, noToken, badToken
    }

    private let store: any DocumentStore
    /// Returns the check of a signed token. Nil for other tokens, and if the server has no keys.
    private let signedCheck: SignedCheck
    /// Checks signatures one after the other. If a thousand clients send new tokens at once, the checks use at most one
    /// core, and delay no other client.
    private let checks = DispatchQueue(label: "caret.signatures")
    /// What a client without a token may read now.
    private let guests: @Sendable () -> Grants
    /// The time in milliseconds, from a clock that never goes back.
    private let now: @Sendable () -> Int64
    private let limiter = Mutex(GuessLimiter())
    private let accepted = Mutex(AcceptedTokens())
    /// Limits the log lines about logins without a token. Such logins need no lookup, so their number is
    /// unlimited.
    private let tokenless = Mutex(GuessLimiter())
    /// Called for each token that is refused without a lookup.
    private let refused: @Sendable (SocketAddress) -> Void
    /// Called for each failed login. For logins without a token, it is called at most at the rate at which
    /// unknown tokens are looked up.
    private let failed: @Sendable (SocketAddress, Failure) -> Void

    package init(
        _ store: any DocumentStore,
        now: @escaping @Sendable () -> Int64 = { Int64(Moment.now.nanoseconds / 1_000_000) },
        signedCheck: @escaping SignedCheck = { _ in nil },
        guests: @escaping @Sendable () -> Grants = { .none },
        refused: @escaping @Sendable (SocketAddress) -> Void = { _ in },
        failed: @escaping @Sendable (SocketAddress, Failure) -> Void = { _, _ in }
    ) {
        self.store = store
        self.signedCheck = signedCheck
        self.guests = guests
        self.now = now
        self.refused = refused
        self.failed = failed
    }

    package func identify(
        _ token: WireString?, at listenerKind: ListenerKind,
        then completion: @escaping @Sendable (Authentication) -> Void
    ) {
        switch listenerKind {
        case .adminSocket: completion(.known(.admin))
        case .address(let address):
            // A login without a token is not a guess, so it is never delayed.
            guard let token else { return completion(withoutToken(from: address)) }
            guard let check = signedCheck(token) else {
                return lookUp(token, from: address, then: completion)
            }
            checks.async { [self] in completion(limited(check(), from: address)) }
        }
    }

    /// Admits a guest, if guests may read anything.
    private func withoutToken(from address: SocketAddress) -> Authentication {
        let grants = guests()
        if grants == .none {
            reportTokenless(address)
            return .unknown
        }
        let credential = Credential.guest(AddressBlock(address)?.bytes)
        return .known(Identity(user: Identity.anonymous.user, credential, grants: grants))
    }

    /// The result of a check of a signed token. If too many bad tokens came from the address, the client must wait
    /// instead.
    private func limited(_ result: Authentication, from address: SocketAddress) -> Authentication {
        guard case .refused = result else { return result }
        failed(address, .badToken)
        guard let block = AddressBlock(address),
            case .refuse(let wait) = limiter.withLock({ $0.reserveSlot(for: block, at: now()) })
        else { return result }
        refused(address)
        return .tooOften(retryAfterMilliseconds: wait)
    }

    private func reportTokenless(_ address: SocketAddress) {
        if let block = AddressBlock(address),
            case .refuse = tokenless.withLock({ $0.reserveSlot(for: block, at: now()) })
        {
            return
        }
        failed(address, .noToken)
    }

    private func lookUp(
        _ text: WireString, from address: SocketAddress,
        then completion: @escaping @Sendable (Authentication) -> Void
    ) {
        var slot: GuessLimiter.Slot?
        let digest = SHA256.digest(of: Array(text.utf8))
        let wasAccepted = accepted.withLock { $0.contains(digest, at: now()) }
        if !wasAccepted, let block = AddressBlock(address) {
            switch limiter.withLock({ $0.reserveSlot(for: block, at: now()) }) {
            case .refuse(let wait):
                refused(address)
                return completion(.tooOften(retryAfterMilliseconds: wait))
            case .lookUp(let reserved): slot = reserved
            }
        }
        store.run(.tokens(.find(shown: ByteString(text.string)))) { [self, slot] result in
            let answer = Authentication(result)
            switch answer {
            case .known: accepted.withLock { $0.add(digest, at: now()) }
            case .unknown:
                // A revoked token is limited from the next time on.
                accepted.withLock { $0.remove(digest) }
                failed(address, .unknownToken)
            case .tooOften, .failed, .refused, .ended: break
            }
            if let slot, answer != .unknown { limiter.withLock { $0.freeSlot(slot, at: now()) } }
            completion(answer)
        }
    }
}

extension Authentication {
    fileprivate init(_ answer: StoreAnswer) {
        switch answer {
        case .tokens(.found(.success(let token))):
            // A token that has ended is not a guess: the client knows its secret. The connection refuses the
            // token.
            self = .known(
                Identity(
                    user: token.user.bytes, .stored(token.id, hasEnded: token.hasEnded), grants: token.grants,
                    expires: token.expires))
        case .tokens(.found(.failure(.gone))): self = .unknown
        // The store refused the call.
        default: self = .failed
        }
    }
}
