import CaretCore
import CaretFormat
import CaretLog
import Testing

@Suite("Caches of a store that forget when they are full") struct CacheTests {
    private func pusher(_ number: Int) -> Pusher {
        Pusher(user: "ann", client: ByteString("client-\(number)"))
    }

    @Test("4,096 authors are known in both directions, and one more empties the cache first")
    func authors() {
        var cache = AuthorCache()
        for number in 0..<4_096 { cache.keep(pusher(number), Int64(number)) }
        for number in [0, 4_095] {
            #expect(cache[Int64(number)] == pusher(number) && cache[pusher(number)] == Int64(number))
        }
        cache.keep(pusher(4_096), 4_096)
        for number in [0, 4_095] {
            #expect(cache[Int64(number)] == nil && cache[pusher(number)] == nil)
        }
        #expect(cache[4_096] == pusher(4_096) && cache[pusher(4_096)] == 4_096)
    }

    @Test("4,096 sound segments are known, and one more empties the cache first")
    func segments() {
        let digest = { (number: Int) in Digest(SIMD4(UInt64(number), 1, 2, 3)) }
        let cache = HistoryCache()
        for number in 0..<4_096 { cache.remember(sound: digest(number)) }
        #expect([0, 4_095].allSatisfy { cache.isSound(digest($0)) } && !cache.isSound(digest(4_096)))
        cache.remember(sound: digest(4_096))
        #expect([0, 4_095].allSatisfy { !cache.isSound(digest($0)) } && cache.isSound(digest(4_096)))
    }
}
