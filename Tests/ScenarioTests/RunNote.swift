import Foundation
import TestSupport

/// A file in the folder `CARET_RUNNING` that names the plan of a run while it runs. If the run crashes the
/// process, the file shows which plan caused the crash.
struct RunNote {
    private let file: URL

    /// Nil if `CARET_RUNNING` is not set.
    init?(_ seed: UInt64, _ fault: PlantedFault) {
        guard let folder = ProcessInfo.processInfo.environment["CARET_RUNNING"] else { return nil }
        file = URL(filePath: folder).appending(path: UUID().uuidString)
        let planted = type(of: fault) == PlantedFault.self ? "" : "\(type(of: fault)): "
        // The run does not need the note, so an error is ignored.
        try? "\(planted)\(Seeds.replay(seed, of: "ScenarioTests"))\n".write(
            to: file, atomically: false, encoding: .utf8)
    }

    func remove() {
        // The run does not need the note, so an error is ignored.
        try? FileManager.default.removeItem(at: file)
    }
}
