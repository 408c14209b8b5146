package import CaretCore

/// A revision together with the epoch that it belongs to.
package struct WirePosition: Hashable, Sendable {
    package let epoch: WireString
    package let revision: Revision

    package init(epoch: WireString, revision: Revision) {
        self.epoch = epoch
        self.revision = revision
    }

    /// Nil if both fields are missing.
    init?(optional fields: Fields) throws(FieldFault) {
        let epoch = try fields.string(optional: "epoch", atMost: Limits.epoch)
        let revision = try fields.revision(optional: "rev")
        switch (epoch, revision) {
        case (let epoch?, let revision?): self.init(epoch: epoch, revision: revision)
        case (nil, nil): return nil
        case (nil, _?): throw fields.fault("epoch", "is missing, but rev is given")
        case (_?, nil): throw fields.fault("rev", "is missing, but epoch is given")
        }
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("epoch", epoch)
        writer.member("rev", revision)
    }
}

extension Opened {
    package enum Content: Equatable, Sendable {
        /// The whole text.
        case text(WireString)
        /// The client's position is still valid. The next messages are the changes after this position.
        case resumed
        /// The whole text, because the position that the client sent is not valid any more.
        case textAfterAll(WireString)
    }
}

extension Opened.Content {
    init(_ fields: Fields) throws(FieldFault) {
        switch try fields.flag(optional: "resumed") {
        case true?: self = .resumed
        case false?: self = .textAfterAll(try fields.string("text"))
        case nil: self = .text(try fields.string("text"))
        }
    }

    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .text(let text):
            writer.member("text", text)
        case .resumed:
            writer.member("resumed", true)
        case .textAfterAll(let text):
            writer.member("resumed", false)
            writer.member("text", text)
        }
    }
}
