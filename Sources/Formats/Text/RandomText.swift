import WSCore

/// Random text of letters, digits, `-`, and `_`.
package enum RandomText {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Writes characters that depend only on the seed. They do not compress well.
    /// - Parameters:
    ///   - count: The number of characters, 0 or more.
    ///   - target: Memory with room for them.
    package static func write(_ count: Int, seed: UInt64, to target: UnsafeMutableRawPointer) {
        // Similar seeds would generate similar numbers.
        var seeds = SeededRandom(seed: seed)
        var random = SeededRandom(seed: seeds.next())
        alphabet.withUnsafeBufferPointer { alphabet in
            for index in 0..<count {
                let character = alphabet[Int(truncatingIfNeeded: random.next() & 63)]
                target.storeBytes(of: character, toByteOffset: index, as: UInt8.self)
            }
        }
    }
}
