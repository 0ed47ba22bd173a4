/// Decodes the chunked transfer coding byte by byte (RFC 9112 §7.1).
struct ChunkedDecoder: Equatable {
    enum Step {
        /// The byte belongs to the coding.
        case framing
        /// The byte belongs to the content.
        case content
        /// The byte belongs to a trailer, or ends its line.
        case trailer
        /// The byte is the last one of the body.
        case end
        /// The byte is not allowed here. Nothing after it can be decoded.
        case malformed
    }

    private enum State: Equatable {
        case size
        case chunkExtension
        case sizeLineFeed
        case data(remainingBytes: Int)
        case dataCarriageReturn
        case dataLineFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerLineFeed
        case endLineFeed
        case malformed
        case end
    }

    private var state = State.size
    private var sizeBytes = 0
    private var sizeDigitCount = 0
    /// The number of framing bytes since the last content byte. Bounded: a peer could send them endlessly.
    private var framingByteCount = 0

    /// Classifies the next byte.
    mutating func receive(_ byte: UInt8) -> Step {
        if case .data(let remainingBytes) = state {
            state = remainingBytes > 1 ? .data(remainingBytes: remainingBytes - 1) : .dataCarriageReturn
            framingByteCount = 0
            return .content
        }
        framingByteCount += 1
        guard framingByteCount <= Self.maximumFramingBytes, let next = nextState(for: byte) else {
            state = .malformed
            return .malformed
        }
        defer { state = next }
        switch (state, next) {
        case (_, .end): return .end
        case (_, .trailerName), (_, .trailerValue), (_, .trailerLineFeed), (.trailerLineFeed, .trailerStart):
            return .trailer
        default: return .framing
        }
    }

    private mutating func nextState(for byte: UInt8) -> State? {
        switch state {
        case .size: nextStateInSize(for: byte)
        case .chunkExtension: nextStateInText(for: byte, lineFeed: .sizeLineFeed, same: .chunkExtension)
        case .sizeLineFeed: byte == ASCII.lineFeed ? stateAfterSize() : nil
        case .dataCarriageReturn: byte == ASCII.carriageReturn ? .dataLineFeed : nil
        case .dataLineFeed: byte == ASCII.lineFeed ? .size : nil
        case .trailerStart: byte == ASCII.carriageReturn ? .endLineFeed : nextStateInName(for: byte)
        case .trailerName: byte == ASCII.colon ? .trailerValue : nextStateInName(for: byte)
        case .trailerValue: nextStateInText(for: byte, lineFeed: .trailerLineFeed, same: .trailerValue)
        case .trailerLineFeed: byte == ASCII.lineFeed ? .trailerStart : nil
        case .endLineFeed: byte == ASCII.lineFeed ? .end : nil
        case .data, .malformed, .end: nil
        }
    }

    private mutating func nextStateInSize(for byte: UInt8) -> State? {
        if let digit = ASCII.hexValue(byte) {
            // RFC 9112 §7.1: recipients must anticipate large numbers. Eight digits allow chunks of 4 GiB.
            guard sizeDigitCount < 8 else { return nil }
            sizeDigitCount += 1
            sizeBytes = sizeBytes << 4 | Int(digit)
            return .size
        }
        guard sizeDigitCount > 0 else { return nil }
        if byte == ASCII.carriageReturn { return .sizeLineFeed }
        return byte == UInt8(ascii: ";") || ASCII.isOptionalWhitespace(byte) ? .chunkExtension : nil
    }

    /// RFC 9112 §7.1.2: a trailer has the syntax of a field. RFC 9110 §5.1: its name is a token.
    private func nextStateInName(for byte: UInt8) -> State? { ASCII.isTokenCharacter(byte) ? .trailerName : nil }

    /// RFC 9110 §5.5: other control characters than HTAB are invalid.
    private func nextStateInText(for byte: UInt8, lineFeed: State, same: State) -> State? {
        if byte == ASCII.carriageReturn { return lineFeed }
        return ASCII.isControl(byte) && byte != ASCII.tab ? nil : same
    }

    private mutating func stateAfterSize() -> State {
        let size = sizeBytes
        sizeBytes = 0
        sizeDigitCount = 0
        return size == 0 ? .trailerStart : .data(remainingBytes: size)
    }

    /// The limit for chunk extensions and trailers together, in bytes: 16 KiB, the default limit of a server's head.
    private static let maximumFramingBytes = 16 << 10
}
