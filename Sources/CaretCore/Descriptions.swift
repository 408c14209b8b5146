#if !hasFeature(Embedded)
    // For debugging. The browser build leaves them out: printing a number there would cost more than
    // everything else.

    extension UnitOffset: CustomStringConvertible {
        public var description: String { String(value) }
    }

    extension Edit: CustomStringConvertible {
        public var description: String { "\(start)..<\(end) \(text.debugDescription)" }
    }

    extension Change: CustomStringConvertible {
        public var description: String { edits.description }
    }

    extension Selection: CustomStringConvertible {
        public var description: String { isCaret ? "\(head)" : "\(anchor)…\(head)" }
    }
#endif
