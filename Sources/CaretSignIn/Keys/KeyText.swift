import CaretWire

/// The text of a file of keys, by its form.
enum KeyText {
    case pem(PEMKey)
    case key(JSONObject)
    case set([JSONObject])

    init(_ text: [UInt8]) throws(KeyProblem) {
        if text.count > KeyFile.limit { throw .tooLarge }
        let start = text.drop { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) }
        if start.starts(with: "-----BEGIN ".utf8) {
            self = .pem(PEMKey(text))
            return
        }
        guard start.first == UInt8(ascii: "{") else { throw .notKeys }
        let object: JSONObject
        do throws(JSONObject.Fault) { object = try JSONObject(parsing: text) } catch {
            throw .notJSON(reason: error.description)
        }
        self =
            try object["keys"].map { keys throws(KeyProblem) in .set(try KeyText.objects(in: keys)) }
            ?? .key(object)
    }

    private static func objects(in keys: JSONElement) throws(KeyProblem) -> [JSONObject] {
        guard case .array(let elements) = keys else { throw .wrongType("keys", expected: "a list of keys") }
        var objects: [JSONObject] = []
        for element in elements {
            guard case .object(let object) = element else {
                throw .wrongType("keys", expected: "a list of objects")
            }
            objects.append(object)
        }
        return objects
    }
}
