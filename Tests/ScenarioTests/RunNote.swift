import Foundation
import TestSupport

/// A file that is there for as long as a plan is run, in the folder that `CARET_RUNNING` names: a trap ends the process
/// before anybody can say which plan it was.
struct RunNote {
    private let file: URL

    /// Nil where nobody asked for it.
    init?(_ seed: UInt64, _ fault: PlantedFault) {
        guard let folder = ProcessInfo.processInfo.environment["CARET_RUNNING"] else { return nil }
        file = URL(filePath: folder).appending(path: UUID().uuidString)
        let planted = type(of: fault) == PlantedFault.self ? "" : "\(type(of: fault)): "
        // A run without a note is as good a run.
        try? "\(planted)\(Seeds.replay(seed, of: "ScenarioTests"))\n".write(
            to: file, atomically: false, encoding: .utf8)
    }

    func remove() {
        // As for writing it.
        try? FileManager.default.removeItem(at: file)
    }
}
