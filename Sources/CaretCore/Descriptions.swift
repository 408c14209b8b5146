#if !hasFeature(Embedded)
    // These descriptions are for debugging. The browser build leaves them out: the code that prints numbers
    // would be larger than all its other code.

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
