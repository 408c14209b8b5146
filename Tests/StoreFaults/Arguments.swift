import CFaultVFS

/// The command line of the process: `FOLDER key=value…`.
struct Arguments {
    let folder: String
    var seed: UInt64 = 0
    var rounds = 0
    var trace: String?
    /// A file that takes up space. The process removes it when the disk is full.
    var ballast: String?
    var bound: Int64 = 0
    /// The file for a record of the system calls. If it is set, there is no fault layer.
    var calls: String?
    /// If the store itself syncs a file whose path ends with this text, the sync fails. Syncs by SQLite do
    /// not fail.
    var unsynced: String?
    /// Unless it is 0, only the first write to the commit counter succeeds. Later writes fail with this `errno`.
    var counterError: Int32 = 0
    /// Whether there is no space for the index of a write-ahead log.
    var hasNoIndexSpace = false
    /// Where to make a backup after the last step.
    var backup: String?
    /// Whether the process kills itself when the disk is full.
    var diesWhenFull = false
    /// The bytes of a single append that makes the write-ahead log too long for its index; 0 for no such
    /// append.
    var paste = 0
    var action = FAULT_NOTHING
    var kind = FAULT_WRITE
    var number: Int64 = 0

    /// Whether the run continues until the disk is full.
    var fillsDisk: Bool { ballast != nil || bound > 0 }

    /// Nil if an argument is wrong.
    init?(_ arguments: [String]) {
        guard let folder = arguments.first else { return nil }
        self.folder = folder
        for argument in arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, parse(parts[0], parts[1]) else { return nil }
        }
    }

    private mutating func parse(_ key: String, _ value: String) -> Bool {
        switch key {
        case "seed": set(\.seed, UInt64(value))
        case "rounds": set(\.rounds, Int(value))
        case "bound": set(\.bound, Int64(value))
        case "paste": set(\.paste, Int(value))
        case "calls": set(\.calls, value)
        case "unsynced": set(\.unsynced, value)
        case "counter": set(\.counterError, Int32(value))
        case "index": set(\.hasNoIndexSpace, value == "none" ? true : nil)
        case "backup": set(\.backup, value)
        case "then": set(\.diesWhenFull, value == "die" ? true : nil)
        case "trace": set(\.trace, value)
        case "ballast": set(\.ballast, value)
        case "fail": parseFault(FAULT_ONCE, value)
        case "break": parseFault(FAULT_FROM_THEN_ON, value)
        case "kill": parseFault(FAULT_KILL, value)
        default: false
        }
    }

    private mutating func set<Value>(_ path: WritableKeyPath<Arguments, Value>, _ value: Value?) -> Bool {
        guard let value else { return false }
        self[keyPath: path] = value
        return true
    }

    /// Parses an operation like `write:12`.
    private mutating func parseFault(_ action: fault_action, _ value: String) -> Bool {
        let kinds = [
            "write": FAULT_WRITE, "sync": FAULT_SYNC, "open": FAULT_OPEN, "truncate": FAULT_TRUNCATE,
        ]
        let parts = value.split(separator: ":").map(String.init)
        guard parts.count == 2, let kind = kinds[parts[0]], let number = Int64(parts[1]) else { return false }
        (self.action, self.kind, self.number) = (action, kind, number)
        return true
    }

    /// Installs the fault layer under SQLite. Returns whether that succeeded.
    func install() -> Bool {
        unsynced?.withCString { fault_calls_refuse_sync($0) }
        if counterError != 0 {
            "/caret.commits".withCString { fault_calls_refuse_write($0, counterError, 1) }
        }
        if let calls { return fault_calls_record(calls) == 0 }
        return installLayer()
    }

    private func installLayer() -> Bool {
        withOptionalCString(trace) { trace in
            (folder + "/caret.commits").withCString { beside in
                var plan = fault_plan(
                    trace: trace, beside: beside, action: action, kind: kind, number: number, bound: bound,
                    regions: hasNoIndexSpace ? -1 : paste > 0 ? 1 : 0)
                return fault_vfs_install(&plan) == 0
            }
        }
    }

    private func withOptionalCString<Result>(
        _ string: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let string else { return body(nil) }
        return string.withCString(body)
    }
}
