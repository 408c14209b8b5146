/// Why an address could not be resolved.
package struct ResolvingFault: Error {
    let reason: String
}
