#if !hasFeature(Embedded)
    // For people who debug. In the browser build a number in a string would cost more than all the rest.

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
