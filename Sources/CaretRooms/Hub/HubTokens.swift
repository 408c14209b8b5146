package import CaretLog
package import CaretWire

/// Listing, creating and revoking tokens.
extension HubState {
    mutating func beginTokens(_ job: AdminJob) {
        // A stored token would stay valid after the key of the signed token is removed, and after the proxy has
        // signed out its user.
        if joinedConnections[job.request.connection]?.identity.credential.isTemporary == true {
            return refuse(job.request, .storedTokenNeeded)
        }
        do throws(RequestRefusal) {
            guard let call = try TokenCall(job.admin, at: tokenTime, page: limits.pageBytes) else {
                return refuse(job.request, .unexpectedAnswer)
            }
            self.call(.tokens(call), for: .admin(job))
        } catch {
            refuse(job.request, error)
        }
    }

    mutating func advance(_ job: AdminJob, with answer: TokenAnswer) {
        let request = job.request
        switch (job.admin, answer) {
        case (.listTokens, .listed(.success(let listing))): send(listing, request)
        case (.addToken, .added(.success(let text))):
            self.answer(request, .admin(.tokenAdded(TokenAdded(text))))
        case (.revokeToken(let revoke), .revoked(nil)):
            self.answer(request, .done(Done()))
            // Administrators who revoke their own token get the answer before they are disconnected.
            grantsChanged(nil, of: TokenID(Int64(revoke.number)))
        case (_, .listed(.failure(let refusal))), (_, .added(.failure(let refusal))),
            (_, .revoked(let refusal?)):
            refuse(request, RequestRefusal(ofTokens: refusal))
        case (_, .listed), (_, .added), (_, .revoked), (_, .live), (_, .noted), (_, .found), (_, .signOuts):
            refuse(request, .unexpectedAnswer)
        }
    }

    mutating func send(_ listing: TokenListing, _ request: HubRequest) {
        let inUse = joinedConnections.tokensInUse
        let items = listing.items.map { item in
            switch item {
            case .damaged(let id): TokenSummary(number: Int(id.value), .damaged)
            case .sound(let token, let stored):
                TokenSummary(token, lastUse: lastUse(of: token.id, stored: stored, inUse: inUse))
            }
        }
        let page = AnswerPage(of: items, within: limits.pageBytes, \.encodedBytes)
        answer(request, .admin(.tokens(Tokens(page.items, hasMore: listing.hasMore || page.hasMore))))
    }
}

extension TokenCall {
    /// Nil if the request is not about tokens. `page` limits the bytes of one answer.
    fileprivate init?(_ admin: AdminRequest, at time: Int64, page: Int) throws(RequestRefusal) {
        switch admin {
        case .listTokens(let list):
            let after = list.after.map { TokenID(Int64($0)) }
            self = .list(after: after, limit: list.limit, weight: page)
        case .addToken(let add):
            let user: UserName
            do throws(DocumentName.Fault) { user = try UserName(add.user.string) } catch {
                throw RequestRefusal(.badName, "user: the name \(error.problem)")
            }
            if let end = add.expires, end <= time {
                let times = [Int64(end), time].map { UTCTime(milliseconds: $0) }
                throw RequestRefusal(
                    .badMessage, "expires: \(times[0]) has passed; the server's time is \(times[1])")
            }
            self = .add(user, try Grants(add.grants), expires: add.expires.map(Int64.init), at: time)
        case .revokeToken(let revoke): self = .revoke(TokenID(Int64(revoke.number)))
        case .signOut, .counters, .who, .listNodes, .trim, .redact, .verify, .backUp:
            return nil
        }
    }
}

extension Grants {
    fileprivate init(_ sent: [WireGrant]) throws(RequestRefusal) {
        var grants: [Grant] = []
        for (index, grant) in sent.enumerated() {
            do throws(DocumentName.Fault) { grants.append(try Grant(grant)) } catch {
                throw RequestRefusal(.badName, "grants[\(index)].doc: the name \(error.problem)")
            }
        }
        guard let all = Grants(grants) else {
            throw RequestRefusal(
                .tooLarge, "the token would have \(grants.count) grants; at most \(Grants.most) are allowed")
        }
        self = all
    }
}

extension Grant {
    package init(_ sent: WireGrant) throws(DocumentName.Fault) {
        let access: Access =
            switch sent.rights {
            case .read: .read
            case .note: .note
            case .write: .write
            case .admin: .admin
            }
        switch sent.scope {
        case .document(let name): self.init(access, to: .document(try DocumentName(name.string)))
        case .prefix(let prefix): self.init(access, to: .prefix(ByteString(prefix)))
        }
    }
}

extension WireGrant {
    /// Nil for a scope that grants nothing.
    package init?(_ grant: Grant) {
        let rights: GrantedRights
        switch grant.access {
        case .none: return nil
        case .read: rights = .read
        case .note: rights = .note
        case .write: rights = .write
        case .admin: rights = .admin
        }
        self.init(rights, to: Scope(grant.scope))
    }
}

extension WireGrant.Scope {
    init(_ scope: NameScope) {
        switch scope {
        case .document(let name): self = .document(WireString(name.description))
        case .prefix(let prefix): self = .prefix(WireString(prefix.string))
        }
    }
}

extension TokenAdded {
    init(_ text: TokenText) {
        self.init(number: Int(text.token.value), token: WireString(text.bytes.string))
    }
}

extension TokenSummary {
    fileprivate init(_ token: Token, lastUse: Int64?) {
        self.init(
            number: Int(token.id.value),
            .sound(
                TokenDetails(
                    user: WireString(token.user.bytes.string), created: Int(token.created),
                    expires: token.expires.map(Int.init), lastUse: lastUse.map(Int.init),
                    grants: token.grants.grants.compactMap { WireGrant($0) })))
    }
}

extension RequestRefusal {
    fileprivate static let storedTokenNeeded = RequestRefusal(
        .forbidden, "a signed token, or a sign-in by a proxy, may not list, add or revoke stored tokens")

    fileprivate init(ofTokens refusal: StoreRefusal) {
        switch refusal {
        case .gone: self.init(.notFound, "there is no token with this number")
        case .damaged: self.init(.damaged, "the stored tokens are damaged")
        case .full, .failed, .away: self.init(refusal)
        }
    }
}
