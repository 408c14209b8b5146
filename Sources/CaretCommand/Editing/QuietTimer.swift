/// Measures for how long a file has been unchanged. Times are in milliseconds.
package struct QuietTimer<Signature: Equatable> {
    private var signature: Signature
    private var since: Int

    package init(_ signature: Signature, at now: Int) {
        self.signature = signature
        since = now
    }

    /// For how long the file has had this signature.
    package mutating func quiet(with signature: Signature, at now: Int) -> Int {
        if signature != self.signature { (self.signature, since) = (signature, now) }
        return now - since
    }
}
