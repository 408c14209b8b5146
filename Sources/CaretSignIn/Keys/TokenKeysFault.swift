/// Why a file of keys is refused.
package struct TokenKeysFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nil if the text of the file was given.
    package let path: String?
    /// The number of the key in its set, from 1. Nil if the problem is not about one key of a set.
    package let key: Int?
    package let problem: KeyProblem

    package init(_ problem: KeyProblem, key: Int? = nil, path: String? = nil) {
        self.path = path
        self.key = key
        self.problem = problem
    }

    func at(_ path: String) -> TokenKeysFault { TokenKeysFault(problem, key: key, path: path) }

    package var description: String {
        [path, key.map { "key \($0)" }, problem.description].compactMap(\.self).joined(separator: ": ")
    }
}
