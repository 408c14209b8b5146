/// The `seq` of a push in a message: at most 2^53 - 1.
// `Int` has 32 bits in a browser. There the module only passes messages to the replica. It does not read or
// write JSON, which uses `Int` for every number.
#if arch(wasm32)
    package typealias PushNumber = Int64
#else
    package typealias PushNumber = Int
#endif
