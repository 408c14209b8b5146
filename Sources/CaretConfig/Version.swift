/// The version of Caret.
package enum Version {
    package static let word: LogWord = "0.1.0"
    package static var number: String { word.text }
}
