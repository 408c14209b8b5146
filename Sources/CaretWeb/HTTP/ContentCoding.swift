/// The compression that a client accepts.
package enum ContentCoding {
    /// Whether a request accepts a response that is compressed with gzip, by its fields `Accept-Encoding`. If
    /// the request prefers no compression, the result is false.
    package static func acceptsGzip(_ fields: Fields) -> Bool {
        let codings = fields.weightedItems(of: "accept-encoding")
        func weight(_ name: String) -> Int? { codings.first { $0.name == name }?.weight }
        let gzip = weight("gzip") ?? weight("*") ?? 0
        return gzip > 0 && gzip >= weight("identity") ?? 0
    }
}
