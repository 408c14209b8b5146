/// Decodes the input as a client's message and as a server's message. A decoded message must survive a round
/// trip, and a fault must be well-formed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let line = UnsafeRawBufferPointer(start: start, count: count)
    var decoder = MessageDecoder()
    var writer = JSONWriter()
    do throws(WireFault) {
        let message = try decoder.clientMessage(line)
        message.encode(into: &writer)
        let again = try decoder.clientMessage(Array(writer.bytes.dropLast()))
        precondition(again == message, "a round trip changed a client's message")
    } catch {
        expectSound(error, line)
    }
    writer.bytes.removeAll()
    do throws(WireFault) {
        if let message = try decoder.serverMessage(line) {
            message.encode(into: &writer)
            let again = try decoder.serverMessage(Array(writer.bytes.dropLast()))
            precondition(again == message, "a round trip changed a server's message")
        }
    } catch {
        expectSound(error, line)
    }
    return 0
}

private func expectSound(_ fault: WireFault, _ line: UnsafeRawBufferPointer) {
    precondition((0...line.count).contains(fault.byte), "the byte of a fault is outside its line")
    precondition(!fault.message.isEmpty, "the message of a fault is empty")
    precondition(fault.message.unicodeScalars.count < 250, "the message of a fault is too long")
    var writer = JSONWriter()
    fault.report.encode(id: fault.id, into: &writer)
    var decoder = MessageDecoder()
    do throws(WireFault) {
        let reply = try decoder.serverMessage(Array(writer.bytes.dropLast()))
        precondition(
            reply == Envelope(.error(fault.report), id: fault.id), "a round trip changed a fault's error")
    } catch {
        preconditionFailure("the error for a fault cannot be decoded: \(error.message)")
    }
}
