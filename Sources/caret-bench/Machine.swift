import FoundationEssentials
import Glibc

/// What a figure cannot be read without.
enum Machine {
    static func describe(command: String) {
        #if DEBUG
            print("BUILT FOR DEBUGGING: these figures say nothing. Build with -c release.")
        #endif
        print("\(command) · \(processor), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores · Swift \(compiler)")
        print(
            "Times are CPU time of the measuring thread, the best round; ratios are of the same run, round by round."
        )
        print("")
    }

    private static var processor: String {
        guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
            // Only the heading lacks something.
            return "unknown processor"
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line.flatMap { $0.split(separator: ":").last }.map { $0.drop { $0 == " " } }.map(String.init)
            ?? "unknown processor"
    }

    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
