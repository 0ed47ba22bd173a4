/// The pseudo-fields and fields of a head, as they arrive (RFC 9113 §8.3). nghttp2 has checked their order and syntax.
internal struct HTTP2Head {
    private var status: Int?
    private var fields = HTTPFields()
    private var byteCount = 0

    /// Receives a field.
    /// - Throws: ``HTTPHeadError`` if the head exceeds the limits.
    mutating func receive(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: HeadLimits
    ) throws(HTTPHeadError) {
        // RFC 9113 §6.5.2: the size of a field includes 32 bytes.
        byteCount += name.count + value.count + 32
        guard byteCount <= limits.maximumBytes else { throw .tooLarge(maximumBytes: limits.maximumBytes) }
        guard fields.count < limits.maximumFields else { throw .tooManyFields(maximum: limits.maximumFields) }
        let name = String(decoding: name, as: UTF8.self)
        if name == ":status" {
            status = Int(String(decoding: value, as: UTF8.self))
        } else if name.utf8.first != ASCII.colon {
            fields.append(HeaderField(wellFormedName: name, bytes: Array(value)))
        }
    }

    /// The response; nil for trailers.
    var response: ResponseHead? {
        status.map { ResponseHead(status: $0, reason: "", fields: fields, version: .http2) }
    }
}
