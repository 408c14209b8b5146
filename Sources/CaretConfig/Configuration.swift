/// The settings of a server, the origin of each setting, and the faults that prevent a start.
///
/// The file overrides a default, the environment overrides the file, and the command line overrides both.
package struct Configuration: Sendable {
    /// The path and bytes of a configuration file.
    package struct File: Sendable {
        /// The path as the user wrote it, for messages.
        package let path: String
        package let bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// A setting whose value was refused keeps its default.
    package private(set) var settings = Settings()
    package private(set) var faults: [ConfigurationFault]
    /// Variables whose names begin with `CARET_` but belong to no key. Container platforms set such
    /// variables, so they are not faults.
    package private(set) var ignoredVariables: [String] = []
    private var origins: [String: ValueOrigin] = [:]

    package init(_ invocation: Invocation, file: File?, environment: [String: String]) {
        faults = invocation.faults
        if let file { read(file) }
        read(environment)
        for flag in invocation.flags { apply(.word(flag.text), for: flag.key, from: .flag(flag.key.flag)) }
        // Contradictions are checked only if all values were accepted. A refused value keeps its default, and
        // the default could cause a contradiction that the user did not write.
        guard faults.isEmpty else { return }
        for contradiction in Contradiction.all(in: settings) {
            fail(.contradiction(contradiction), origins[contradiction.key] ?? .byDefault)
        }
    }

    package func origin(of key: ConfigurationKey) -> ValueOrigin { origins[key.name] ?? .byDefault }

    private mutating func apply(_ found: FoundValue, for key: ConfigurationKey, from origin: ValueOrigin) {
        if key.assign(found, into: &settings) {
            origins[key.name] = origin
        } else {
            fail(.notAllowed(key: key.name, found: found.echoed, allowed: key.allowed), origin)
        }
    }

    // MARK: The file

    private mutating func read(_ file: File) {
        do {
            let value = try JSON5Reader.read(file.bytes)
            guard case .object(let members) = value.kind else {
                return fail(.noObject, .file(path: file.path, value.position))
            }
            for member in members { apply(member, of: file) }
        } catch {
            fail(.syntax(error.reason), .file(path: file.path, error.position))
        }
    }

    private mutating func apply(_ member: JSON5Member, of file: File) {
        guard let key = ConfigurationKey.named(member.key) else {
            let closest = member.key.closest(in: ConfigurationKey.all.map(\.name))
            return fail(.unknown(member.key, closest: closest), .file(path: file.path, member.position))
        }
        let value = key.refusedItem(in: member.value, with: settings)
        apply(.file(value.kind), for: key, from: .file(path: file.path, value.position))
    }

    private mutating func fail(_ problem: ConfigurationFault.Problem, _ origin: ValueOrigin) {
        faults.append(ConfigurationFault(origin: origin, problem: problem))
    }

    // MARK: The environment

    private mutating func read(_ environment: [String: String]) {
        for key in ConfigurationKey.all {
            guard let text = environment[key.variable] else { continue }
            apply(.word(text), for: key, from: .variable(key.variable))
        }
        let known = ConfigurationKey.all.map(\.variable) + [Invocation.fileVariable]
        // The names are sorted, so that messages have the same order on every run.
        for name in environment.keys.sorted() where name.hasPrefix(ConfigurationKey.variablePrefix) {
            if known.contains(name) { continue }
            let short = String(name.dropFirst(ConfigurationKey.variablePrefix.count))
            // A name similar to a key's is probably a typing error. Other names may belong to another
            // program.
            let closest = short.lowercased().closest(in: ConfigurationKey.all.map(\.name))
            guard let key = closest.flatMap(ConfigurationKey.named) else {
                ignoredVariables.append(name)
                continue
            }
            fail(.unknown(name, closest: key.variable), .variable(name))
        }
    }
}
