import Glibc

/// Starts a program. `words` are its arguments; the first one is the name of the program (`argv[0]`).
/// `setUp` changes the descriptors that the program inherits.
func started(
    _ program: String, _ words: [String], _ setUp: (inout posix_spawn_file_actions_t) -> Void = { _ in }
) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    setUp(&actions)
    var (attributes, none) = (posix_spawnattr_t(), sigset_t())
    // A thread of a dispatch queue blocks most signals, and a child process inherits this. A shell that
    // blocks signals could not wait for its child.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawn(&process, program, &actions, &attributes, &arguments, environ) == 0 else {
        preconditionFailure("\(program) cannot be started")
    }
    return process
}

/// Returns the output of a shell command, or nil if it fails. Calls `line` with each line as it comes.
func printed(by command: String, line: (String) -> Void = { _ in }) -> String? {
    guard let stream = popen(command, "r") else { return nil }
    var (all, buffer) = ("", [CChar](repeating: 0, count: 4096))
    while fgets(&buffer, Int32(buffer.count), stream) != nil {
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let text = String(decoding: bytes, as: UTF8.self)
        line(text)
        all += text
    }
    return pclose(stream) == 0 ? all : nil
}

/// Quotes a word for the shell.
func quoted(_ word: String) -> String { "'" + word.replacing("'", with: #"'\''"#) + "'" }
