import CaretFormat
package import CaretLog
package import CaretRooms
package import CaretWire
import Synchronization

/// Accepts clients whose token the store knows. After too many unknown tokens from an address, the tokens
/// from it are refused for a while without a lookup, except those that were accepted in the last day.
package final class TokenAuthenticator: Authenticator {
    /// Why a login failed.
    package enum Failure: Sendable {
        case unknownToken, noToken
    }

    private let store: any DocumentStore
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
        refused: @escaping @Sendable (SocketAddress) -> Void = { _ in },
        failed: @escaping @Sendable (SocketAddress, Failure) -> Void = { _, _ in }
    ) {
        self.store = store
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
            guard let token else {
                reportTokenless(address)
                return completion(.unknown)
            }
            lookUp(token, from: address, then: completion)
        }
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
            case .tooOften, .failed: break
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
                    user: token.user.bytes, token: token.id, grants: token.grants, expires: token.expires,
                    hasEnded: token.hasEnded))
        case .tokens(.found(.failure(.gone))): self = .unknown
        // The store refused the call.
        default: self = .failed
        }
    }
}
