import FoundationEssentials
import Glibc

/// What readers need to know to interpret a figure.
enum Machine {
    /// Prints the command and the machine. `measure` explains the figures.
    static func describe(command: String, _ measure: String) {
        #if DEBUG
            print("THIS IS A DEBUG BUILD, so its figures are useless. Build with -c release.")
        #endif
        print("\(command) · \(processor), \(cores) cores · Linux \(kernel) · Swift \(compiler)")
        print(measure)
        print("")
    }

    /// The file system of a folder, from the deepest mount that contains it.
    static func fileSystem(of folder: String) -> String {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else {
            // The report only shows the file system, so the benchmark continues without its name.
            return "an unknown file system"
        }
        let fields = mounts.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 2 }
        let around = fields.filter { $0[1] == "/" || (folder + "/").hasPrefix($0[1] + "/") }
        return around.max { $0[1].count < $1[1].count }.map { String($0[2]) } ?? "an unknown file system"
    }

    /// A number from a process's status file, for example `VmRSS:`, in KiB.
    static func status(_ name: String, of process: String = "self") -> Int {
        let status = mustSucceed { try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let words = line?.split { $0 == " " || $0 == "\t" }
        guard let number = words?.dropFirst().first.flatMap({ Int($0) }) else {
            preconditionFailure("the system reports no \(name) for the process \(process)")
        }
        return number
    }

    static var cores: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    /// The machine's memory in bytes.
    static var memory: Double { Double(sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))) }

    static var processor: String {
        guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
            // The report only shows the processor, so the benchmark continues without its name.
            return "unknown processor"
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line.flatMap { $0.split(separator: ":").last }.map { $0.drop { $0 == " " } }.map(String.init)
            ?? "unknown processor"
    }

    static var kernel: String {
        var system = utsname()
        uname(&system)
        return withUnsafeBytes(of: system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
