/// Ways to split an input: into single bytes, and at positions that depend on the input, which includes empty pieces.
func waysToCut(_ input: [UInt8]) -> [[ArraySlice<UInt8>]] {
    var random = SeededRandom(seededBy: input)
    let ways = [1...1, 0...3, 0...16, 1...200].map { sizes in pieces(of: input, sizes: sizes, using: &random) }
    let half = input.count / 2
    return ways + [[input[..<half], input[half...]]]
}

private func pieces(
    of input: [UInt8], sizes: ClosedRange<Int>, using random: inout SeededRandom
) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = input[...]
    while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: sizes, using: &random))
        pieces.append(piece)
        rest = rest.dropFirst(piece.count)
    }
    return pieces
}
