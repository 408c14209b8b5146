extension TextBuffer {
    /// Makes a text of `bytes`. Throws if the bytes are not valid, and never repairs them.
    public init(validating bytes: UnsafeBufferPointer<UInt8>) throws(TextError) {
        if let index = bytes.firstInvalidUTF8 { throw .invalidUTF8(at: index) }
        if let index = bytes.firstCarriageReturn { throw .carriageReturn(at: index) }
        self.init(unchecked: bytes)
    }

    /// Makes a text of a string, which must have no carriage return.
    public init(_ string: String) throws(TextError) {
        if let index = string.withBytes({ $0.firstCarriageReturn }) { throw .carriageReturn(at: index) }
        self = string.withBytes { TextBuffer(unchecked: $0) }
    }
}
