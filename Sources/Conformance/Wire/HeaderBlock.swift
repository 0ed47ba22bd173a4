import CNGHTTP2

/// Header blocks of HTTP/2 (RFC 7541).
enum HeaderBlock {
    /// The fields that HTTP/2 does not permit (RFC 9113 §8.2.2).
    static let connectionFields = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]

    /// Encodes fields as literals that are not indexed (RFC 7541 §6.2.2).
    static func encode(_ fields: [Head.Field]) -> [UInt8] {
        fields.flatMap { field in [0] + string(Array(field.name.utf8)) + string(field.value) }
    }

    /// A string without Huffman code (RFC 7541 §5.2).
    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}

/// Decodes the header blocks of a connection.
final class HeaderDecoder {
    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// - Throws: ``Violation``.
    func decode(_ block: [UInt8]) throws(Violation) -> [Head.Field] {
        var fields: [Head.Field] = []
        var byteCount = 0
        var rest = block[...]
        while true {
            var field = nghttp2_nv()
            var flags: CInt = 0
            let count = rest.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(inflater, &field, &flags, $0.baseAddress, $0.count, 1)
            }
            guard count >= 0 else { throw Violation("a header block cannot be decoded", "7541 §2.3") }
            rest = rest.dropFirst(count)
            if flags & CInt(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                let name = UnsafeBufferPointer(start: field.name, count: field.namelen)
                let value = UnsafeBufferPointer(start: field.value, count: field.valuelen)
                // A byte of the block may stand for a field of 4 KiB.
                byteCount += name.count + value.count + 32
                guard byteCount <= Head.maximumBytes else {
                    throw Violation("the fields are larger than 128 KiB", "9113 §10.5.1")
                }
                fields.append(Head.Field(name: String(decoding: name, as: UTF8.self), value: Array(value)))
            } else {
                nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
        }
    }
}
