/// The IP address of a machine, without a port.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address with port 0.
    package let address: ListenAddress

    /// Nil if the text is no IP address, or the one that stands for all addresses.
    package init?(_ text: String) {
        guard text != "localhost",
            let address = ListenAddress(text.contains(":") ? "[\(text)]:0" : "\(text):0"), !address.isWildcard
        else { return nil }
        self.address = address
    }

    package var description: String { address.host }
}
