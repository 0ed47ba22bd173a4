import WSCore

/// Random text of letters, digits, `-`, and `_`.
public enum RandomText {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Appends characters that depend only on the seed. They do not compress well.
    /// - Parameter count: The number of characters, 0 or more.
    public static func append(_ count: Int, seed: UInt64, to buffer: inout ByteBuffer) {
        // Similar seeds would generate similar numbers.
        var seeds = SeededRandom(seed: seed)
        var random = SeededRandom(seed: seeds.next())
        let target = buffer.reserve(count)
        alphabet.withUnsafeBufferPointer { alphabet in
            for index in 0..<count {
                let character = alphabet[Int(truncatingIfNeeded: random.next() & 63)]
                target.storeBytes(of: character, toByteOffset: index, as: UInt8.self)
            }
        }
        buffer.commit(count)
    }
}
