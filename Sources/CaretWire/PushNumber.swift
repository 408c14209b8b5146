/// The `seq` of a push in a message: at most 2^53 - 1.
// `Int` has 32 bits in WebAssembly. The code that reads and writes JSON uses `Int` for every number, but the
// module does not contain that code.
#if arch(wasm32)
    package typealias PushNumber = Int64
#else
    package typealias PushNumber = Int
#endif
