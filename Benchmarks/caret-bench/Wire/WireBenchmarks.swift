import CaretWire
import FoundationEssentials
import TestSupport

/// `caret-bench wire`: encoding and decoding lines, compared to Foundation's coders.
struct WireBenchmarks {
    let rounds: Int

    func run() {
        runDecoding()
        runEncoding()
        runFraming()
    }

    private func runDecoding() {
        var table = Table(["decode", "bytes", "time", "allocations", "JSONDecoder", "ratio"])
        var plot = Plot("Decoding a line", ["Caret", "Foundation's JSONDecoder"], isLogarithmic: true) {
            $0.time
        }
        for sample in WireSample.all {
            var decoder = MessageDecoder()
            let line = sample.line
            let data = Data(line)
            let calls = max(10, 2_000_000 / (line.count + 200))
            let own = { sample.decode(line, &decoder) }
            let other = { sample.decodeWithFoundation(data) }
            let times = best(of: rounds, [repeated(calls, own), repeated(max(2, calls / 10), other)])
            let each = [times[0] / Double(calls), times[1] / Double(max(2, calls / 10))]
            table.row(
                sample.name, String(line.count), each[0].time, allocations(own), each[1].time,
                (each[1] / each[0]).digits(1))
            plot.group(sample.name, each)
        }
        plot.draw(as: "wire-decoding")
        table.print(under: "Decoding a line to a typed message with its strings")
    }

    private func runEncoding() {
        var table = Table(["encode", "bytes", "time", "allocations", "JSONEncoder", "ratio"])
        for sample in WireSample.all {
            var writer = JSONWriter()
            sample.encode(&writer)
            let size = writer.bytes.count
            let calls = max(10, 2_000_000 / (size + 200))
            let own = {
                writer.bytes.removeAll(keepingCapacity: true)
                sample.encode(&writer)
            }
            let other = { sample.encodeWithFoundation() }
            let times = best(of: rounds, [repeated(calls, own), repeated(max(2, calls / 10), other)])
            let each = [times[0] / Double(calls), times[1] / Double(max(2, calls / 10))]
            table.row(
                sample.name, String(size), each[0].time, allocations(own), each[1].time,
                (each[1] / each[0]).digits(1))
        }
        table.print(under: "Encoding a message as a line, into a reused buffer")
    }

    private func runFraming() {
        let lines = (0..<1000).flatMap { _ in WireSample.push.line + [UInt8(ascii: "\n")] }
        var table = Table(["framing", "a line", "MB/s"])
        for size in [65_536, 1_448, 7] {
            let time = best(of: rounds) {
                var framer = LineFramer(limit: 1 << 20)
                lines.withUnsafeBytes { bytes in
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        var piece = UnsafeRawBufferPointer(
                            rebasing: bytes[start..<min(start + size, bytes.count)])
                        while case .line = framer.next(of: &piece, { consume($0.count) }) {}
                    }
                }
            }
            table.row(
                "in pieces of \(size) bytes", (time / 1000).time,
                (Double(lines.count) / time * 1000).digits(0))
        }
        table.print(under: "Framing a thousand lines")
    }

    private func repeated(_ calls: Int, _ body: @escaping () -> Void) -> () -> Void {
        { for _ in 0..<calls { body() } }
    }

    /// How many allocations a call of `body` makes on average, after a first call.
    private func allocations(_ body: () -> Void) -> String {
        body()
        let calls = 10
        let count = caret_bench.allocations { for _ in 0..<calls { body() } }
        return (Double(count) / Double(calls)).digits(count % calls == 0 ? 0 : 1)
    }
}
