import CZlib

/// The parameters of permessage-deflate in a response (RFC 7692 §7.1).
struct DeflateParameters: Equatable, Sendable {
    /// What one side's compressor must respect.
    struct Side: Equatable, Sendable {
        var keepsContext = true
        /// 8 to 15, or `nil` if not negotiated.
        var windowBits: Int?
    }

    var server = Side()
    var client = Side()

    init() {}

    /// Reads an extension with its parameters.
    /// - Throws: ``Violation`` for what a response must not contain.
    init(response: ExtensionElement) throws(Violation) {
        var names: Set<String> = []
        for (name, value) in response.parameters {
            guard names.insert(name).inserted else { throw Self.problem("a parameter is repeated") }
            switch name {
            case "server_no_context_takeover", "client_no_context_takeover":
                guard value == nil else { throw Self.problem("\(name) has a value") }
                if name.hasPrefix("server") { server.keepsContext = false } else { client.keepsContext = false }
            case "server_max_window_bits": server.windowBits = try Self.bits(value)
            case "client_max_window_bits": client.windowBits = try Self.bits(value)
            default: throw Self.problem("a parameter is unknown")
            }
        }
    }

    private static func bits(_ value: String?) throws(Violation) -> Int {
        guard let value, let bits = Int(value), 8...15 ~= bits, value.first != "0", value.first != "+" else {
            throw problem("a number of window bits is not between 8 and 15")
        }
        return bits
    }

    private static func problem(_ reason: String) -> Violation {
        Violation("the answer to permessage-deflate is invalid: \(reason)", "7692 §7.1")
    }
}

/// Compresses our messages (RFC 7692 §7.2.1).
final class Deflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let keepsContext: Bool

    init(_ side: DeflateParameters.Side) {
        keepsContext = side.keepsContext
        // zlib uses 9 for 8; its distances are short enough then.
        let windowBits = side.windowBits ?? 15
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        precondition(wsx_deflate_begin(stream, 6, Int32(max(windowBits, 9)), 8) == Z_OK)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func compress(_ message: [UInt8]) -> [UInt8] {
        if !keepsContext { deflateReset(stream) }
        var output: [UInt8] = []
        message.withUnsafeBytes { bytes in
            stream.setInput(bytes)
            output = stream.run(chunkBytes: 64 << 10) { deflate(stream, Z_SYNC_FLUSH) }
        }
        // The four bytes of the flush are not sent; an empty message is a single zero byte (§7.2.3.6).
        output.removeLast(min(4, output.count))
        return output.isEmpty ? [0] : output
    }
}

/// Decompresses the peer's messages.
final class Inflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let keepsContext: Bool
    /// zlib finds references beyond the window only to earlier calls, so that each call must be small.
    private let chunkBytes: Int
    /// Whether the input so far ends with a block.
    private var isBetweenBlocks = true

    init(_ side: DeflateParameters.Side) {
        keepsContext = side.keepsContext
        let windowBits = side.windowBits ?? 15
        chunkBytes = windowBits < 15 ? 64 : 64 << 10
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        precondition(wsx_inflate_begin(stream, Int32(windowBits)) == Z_OK)
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses a piece, in parts of at most 64 KiB.
    func decompress(
        _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(Violation) -> Void
    ) throws(Violation) {
        stream.setInput(piece)
        var status = Z_OK
        repeat {
            let part = stream.run(chunkBytes: chunkBytes, once: true) {
                status = inflate(stream, Z_SYNC_FLUSH)
                // zlib.h: bit 7 is set after the end of a block.
                isBetweenBlocks = status == Z_STREAM_END || stream.pointee.data_type & 128 != 0
                return status
            }
            if status == Z_STREAM_END {
                // A final block: what follows continues with the same window (§7.2.3.4).
                inflateResetKeep(stream)
            } else if status != Z_OK, status != Z_BUF_ERROR {
                throw Violation(
                    "a compressed message cannot be decompressed, perhaps because of the negotiated parameters",
                    "7692 §7.2.2")
            }
            if !part.isEmpty {
                var failure: Violation?
                part.withUnsafeBytes { do throws(Violation) { try body($0) } catch { failure = error } }
                if let failure { throw failure }
            }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }

    /// Ends a message.
    func finish(_ body: (UnsafeRawBufferPointer) throws(Violation) -> Void) throws(Violation) {
        let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
        var failure: Violation?
        tail.withUnsafeBytes { do throws(Violation) { try decompress($0, body) } catch { failure = error } }
        if let failure { throw failure }
        guard isBetweenBlocks else {
            throw Violation("a compressed message does not end with an empty block", "7692 §7.2.1")
        }
        if !keepsContext { inflateReset(stream) }
    }
}

extension UnsafeMutablePointer<z_stream> {
    fileprivate func setInput(_ bytes: UnsafeRawBufferPointer) {
        pointee.next_in = UnsafeMutablePointer<UInt8>(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        pointee.avail_in = UInt32(bytes.count)
    }

    /// Calls `body` with room for output until it leaves some, or once. Returns the output.
    fileprivate func run(chunkBytes: Int, once: Bool = false, _ body: () -> Int32) -> [UInt8] {
        var output: [UInt8] = []
        repeat {
            output += [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, count in
                pointee.next_out = buffer.baseAddress
                pointee.avail_out = UInt32(chunkBytes)
                _ = body()
                count = chunkBytes - Int(pointee.avail_out)
            }
        } while !once && pointee.avail_out == 0
        return output
    }
}
