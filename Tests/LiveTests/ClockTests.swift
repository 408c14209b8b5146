import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A server on a machine with a wrong clock", .onOwnThread) struct ClockTests {
    /// A library that gives a process a wrong wall clock.
    private struct FalseClock {
        let scratch: Scratch

        private var library: String { scratch.path + "/clock.so" }

        /// Nil if the machine has no C compiler.
        init?() throws {
            scratch = try Scratch.inMemory()
            let source = scratch.path + "/clock.c"
            let code = """
                #include <stdlib.h>
                #include <sys/syscall.h>
                #include <time.h>
                #include <unistd.h>
                int clock_gettime(clockid_t id, struct timespec *time) {
                    long code = syscall(SYS_clock_gettime, id, time);
                    if (id == CLOCK_REALTIME) time->tv_sec = atoll(getenv("CLOCK_SECONDS"));
                    return (int)code;
                }
                """
            try Data(code.utf8).write(to: URL(filePath: source))
            let compiler = try? Program(["clang", "-shared", "-fPIC", "-o", library, source])
            guard let compiler, try compiler.waitForExit().status == 0 else { return nil }
        }

        func wrapper(seconds: Int64) -> [String] {
            ["env", "LD_PRELOAD=\(library)", "CLOCK_SECONDS=\(seconds)"]
        }
    }

    @Test("a server works before 1970 and in 2326, and its times never go back")
    func wrongClock() throws {
        let clock = try #require(try FalseClock(), "this machine has no C compiler")
        let scratch = try Scratch.inMemory()
        var (times, revision, epoch) = ([Int](), 0, "")
        for seconds in [-86_400, 1_790_000_000, 11_234_567_890, 1_790_000_000, -5] as [Int64] {
            let server = try LiveServer(in: scratch, through: clock.wrapper(seconds: seconds))
            let ann = try LineClient(server)
            try ann.greet(as: "ann-client")
            try ann.send(#"{"type":"open","doc":"notes","create":true}"#)
            let opened = try #require(try ann.next())
            epoch = try #require(
                Pattern(#"{"type":"opened","doc":"notes","epoch":"⟨e⟩",…"#).matches(opened)?["e"])
            let edit = #""edits":[{"range":[0,0],"text":"x"}]"#
            try ann.send(
                #"{"type":"push","doc":"notes","epoch":"\#(epoch)","base":\#(revision),"seq":\#(revision + 1),\#(edit)}"#
            )
            revision += 1
            try ann.expect(#"{"type":"ack","doc":"notes","seq":\#(revision),"rev":\#(revision)}"#)
            try ann.send(#"{"type":"history","doc":"notes","after":\#(revision - 1)}"#)
            let answer = try #require(try ann.next())
            let time = try #require(answer.firstMatch(of: #/"time":(-?\d+)/#)?.1)
            times.append(try #require(Int(time)))
            try ann.endOutput()
            #expect(try server.stop().status == 0)
        }
        #expect(times == times.sorted() && times[0] >= 0, "\(times)")
        // Allows 60 seconds: the server's clock runs on from its start, and a busy machine may be slow.
        #expect((11_234_567_890...11_234_567_950).contains(times[2] / 1_000), "\(times)")
        #expect(times[4] == times[2], "\(times)")
    }
}
