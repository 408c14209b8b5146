/// Decodes lines into messages. Use one decoder for many lines, because it reuses its memory.
package struct MessageDecoder: Sendable {
    /// Limits on the elements of a client's message.
    package let limits: Limits.Announced
    private var reader = JSONReader()

    package init(limits: Limits.Announced = Limits.Announced()) { self.limits = limits }

    /// Decodes a client's line. `line` has no line end. The framer has already limited the line's length.
    package mutating func clientMessage(
        _ line: UnsafeRawBufferPointer
    ) throws(WireFault) -> Envelope<ClientMessage> {
        defer { reader.shrink() }
        let (fields, type) = try check(line)
        do throws(FieldFault) {
            if let message = try ClientMessage(type: type, fields) {
                return Envelope(message, id: try fields.id())
            }
        } catch {
            var fault = fields.fault(error, type)
            if type.equals(Hello.type) { fault.topic = .hello }
            if AdminRequest.types.contains(where: { type.equals($0) }) { fault.topic = .administration }
            throw fault
        }
        let name = excerpt(of: type.raw)
        throw fields.fault(
            .unknownType, "there is no message type \"\(name)\"", byte: type.range.lowerBound - 1)
    }

    /// Decodes a server's line; nil for an unknown type, which a client ignores.
    package mutating func serverMessage(
        _ line: UnsafeRawBufferPointer
    ) throws(WireFault) -> Envelope<ServerMessage>? {
        defer { reader.shrink() }
        let (fields, type) = try check(line)
        do throws(FieldFault) {
            guard let message = try ServerMessage(type: type, fields) else { return nil }
            return Envelope(message, id: try fields.id())
        } catch {
            throw fields.fault(error, type)
        }
    }

    /// Decodes a line of an archive.
    package mutating func archiveLine(_ line: UnsafeRawBufferPointer) throws(WireFault) -> ArchiveLine {
        defer { reader.shrink() }
        let (fields, type) = try check(line)
        do throws(FieldFault) {
            if let line = try ArchiveLine(type: type, fields) { return line }
        } catch {
            throw fields.fault(error, type)
        }
        let name = excerpt(of: type.raw)
        throw fields.fault(
            .unknownType, "there is no line type \"\(name)\"", byte: type.range.lowerBound - 1)
    }

    /// Checks a line, and returns its members and its type.
    private mutating func check(
        _ raw: UnsafeRawBufferPointer
    ) throws(WireFault) -> (Fields, type: JSONString) {
        let line = raw.assumingMemoryBound(to: UInt8.self)
        do throws(JSONFault) {
            try reader.check(line)
        } catch {
            throw WireFault(error)
        }
        let fields = Fields(reader.members, of: line, limits: limits)
        do throws(FieldFault) {
            let type = try fields.value("type")
            guard type.kind == .string else {
                throw FieldFault.wrong(type, expected: "a string").inside("type")
            }
            return (fields, type.string)
        } catch {
            throw fields.fault(error, nil)
        }
    }
}

extension MessageDecoder {
    package mutating func clientMessage(_ line: [UInt8]) throws(WireFault) -> Envelope<ClientMessage> {
        try line.withUnsafeBufferPointer { bytes throws(WireFault) in
            try clientMessage(UnsafeRawBufferPointer(bytes))
        }
    }

    package mutating func serverMessage(_ line: [UInt8]) throws(WireFault) -> Envelope<ServerMessage>? {
        try line.withUnsafeBufferPointer { bytes throws(WireFault) in
            try serverMessage(UnsafeRawBufferPointer(bytes))
        }
    }
}

extension Fields {
    func id() throws(FieldFault) -> RequestID? {
        guard let value = value(optional: "id") else { return nil }
        return try read("id", value) { value throws(FieldFault) in try RequestID(value) }
    }

    /// Converts the fault of one field to a fault of the line.
    fileprivate func fault(_ fault: FieldFault, _ type: JSONString?) -> WireFault {
        let name = type.map { excerpt(of: $0.raw) + ": " } ?? ""
        let message = "\(name)\(fault.field) \(fault.problem), at byte \(fault.byte)"
        return self.fault(fault.code, message, byte: fault.byte)
    }

    /// A fault with the fields that identify the message. Malformed fields are left out.
    fileprivate func fault(_ code: ErrorCode, _ message: String, byte: Int) -> WireFault {
        WireFault(
            code, message, byte: byte, id: try? id(), document: try? document(),
            seq: (try? integer(optional: "seq")).map { PushNumber($0) })
    }
}
