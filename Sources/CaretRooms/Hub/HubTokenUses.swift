import CaretLog

/// Recording when tokens were last used.
extension HubState {
    /// Begins to record the uses if it is time.
    mutating func recordTokenUsesIfDue() {
        guard let due = tokenUses.due, due <= now else { return }
        beginRecordingTokenUses()
        recordNextTokenUses()
    }

    /// Records all uses now, because the server stops.
    mutating func recordAllTokenUses() {
        beginRecordingTokenUses()
        while let uses = tokenUses.nextUses() { record(uses) }
    }

    /// Handles the store's answer to a call that recorded uses.
    mutating func recorded(_ uses: [TokenUse], _ answer: StoreAnswer) {
        // If the disk is full or has failed, the store reports the fault, and the next round tries again.
        guard case .tokens(.noted(nil)) = answer else { return tokenUses.cancelRound() }
        tokenUses.recorded(uses)
        recordNextTokenUses()
    }

    /// The last use of a token. `stored` is the time that the store has recorded.
    func lastUse(of token: TokenID, stored: Int64?, inUse: Set<TokenID>) -> Int64? {
        inUse.contains(token) ? now : tokenUses.time(of: token) ?? stored
    }

    private mutating func beginRecordingTokenUses() {
        for token in joinedConnections.tokensInUse { tokenUses.note(token, at: now) }
        tokenUses.beginRound(at: now)
    }

    private mutating func recordNextTokenUses() {
        if let uses = tokenUses.nextUses() { record(uses) }
    }

    private mutating func record(_ uses: [TokenUse]) {
        call(.tokens(.noteUses(uses)), for: .tokenUses(uses))
    }
}
