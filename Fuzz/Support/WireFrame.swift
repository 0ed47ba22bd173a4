/// A frame on the wire, parsed independently of the code under test.
struct WireFrame: Equatable {
    var first: UInt8
    var isMasked: Bool
    /// The unmasked payload.
    var payload: [UInt8]

    var opcode: UInt8 { first & 0xF }
    var isFinal: Bool { first & 0x80 != 0 }

    /// Parses bytes sent by one end: whole frames, each with its length in the shortest form.
    static func read(_ bytes: [UInt8]) -> [WireFrame] {
        var frames: [WireFrame] = []
        var rest = bytes[...]
        func take(_ count: Int) -> ArraySlice<UInt8> {
            expect(rest.count >= count, "the last frame that was sent is cut")
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        while !rest.isEmpty {
            let first = take(1).reduce(0, |)
            let second = take(1).reduce(0, |)
            var count = Int(second & 0x7F)
            if count > 125 {
                let lengthBytes = count == 126 ? 2 : 8
                count = take(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
                expect(count > (lengthBytes == 2 ? 125 : 0xFFFF), "the length \(count) is not in its shortest form")
            }
            let key = second & 0x80 == 0 ? [0, 0, 0, 0] : Array(take(4))
            let payload = take(count).enumerated().map { $1 ^ key[$0 % 4] }
            frames.append(WireFrame(first: first, isMasked: second & 0x80 != 0, payload: payload))
        }
        return frames
    }
}
