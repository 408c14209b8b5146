/// Reads the head of a request, line by line. It accepts less than RFC 9112 allows, so that no proxy can read
/// a request in another way. The bytes may arrive in pieces of any size.
package struct RequestReader: Sendable {
    private var collector = LineCollector()
    private var line: RequestLine?
    private var fields = Fields()
    /// Bytes of the lines so far, with their line ends.
    private var bytes = 0
    /// Old clients send an empty line after a body. The reader ignores one such line.
    private var mayBeEmpty = true

    package init() {}

    /// Whether a head has begun.
    package var hasBegun: Bool { bytes > 0 || !collector.isEmpty }

    /// Reads from the start of `input` up to the end of the head. Returns nil if the head is not complete.
    package mutating func next(of input: inout UnsafeRawBufferPointer) throws(RequestFault) -> RequestHead? {
        while let text = try nextLine(of: &input) {
            guard let line else {
                if text.isEmpty, mayBeEmpty {
                    (mayBeEmpty, bytes) = (false, 0)
                } else {
                    line = try RequestLine(text)
                }
                continue
            }
            if text.isEmpty {
                let head = try RequestHead(line, fields)
                self = RequestReader()
                return head
            }
            guard fields.count < HTTPLimits.fields else {
                throw RequestFault(
                    .headTooLarge, "the head of a request may have at most \(HTTPLimits.fields) fields")
            }
            fields.append(try Fields.Field(text))
        }
        return nil
    }

    private mutating func nextLine(of input: inout UnsafeRawBufferPointer) throws(RequestFault) -> [UInt8]? {
        let left = HTTPLimits.head - bytes - 2
        switch collector.next(of: &input, limit: line == nil ? HTTPLimits.requestLine : left) {
        case .line(let text):
            bytes += text.count + 2
            return text
        case .incomplete: return nil
        case .tooLong:
            if line == nil {
                throw RequestFault(
                    .targetTooLong, "the request line has more than \(HTTPLimits.requestLine) bytes")
            }
            throw RequestFault(.headTooLarge, "the head has more than \(HTTPLimits.head) bytes")
        case .malformed:
            throw .bad("each line of a head must end with CR LF, and contain no other CR and no NUL")
        }
    }
}
