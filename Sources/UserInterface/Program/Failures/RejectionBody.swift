import WSCore

/// Decodes the bodies of rejections.
enum RejectionBody {
    /// Removes the content coding of a body, if it is gzip or deflate. What cannot be decoded stays as it is.
    static func decoded(
        _ body: [UInt8], of head: ResponseHead, isTruncated: Bool
    ) -> (head: ResponseHead, body: [UInt8], bodyIsTruncated: Bool) {
        // RFC 9110 §8.4.1.3: x-gzip equals gzip.
        let codings = head.fields.tokens(named: "Content-Encoding")
        guard codings.count == 1, ["gzip", "x-gzip", "deflate"].contains(codings[0]) else {
            return (head, body, isTruncated)
        }
        // RFC 9110 §8.4.1.2: deflate has the zlib format, but some servers omit its header and checksum.
        let isBare = body.withUnsafeBytes { !DataInflater.isGzip($0.bytes) && !DataInflater.isZlib($0.bytes) }
        let data = isBare ? zlibHeader + body : body
        var output = ByteBuffer()
        var isIncomplete = false
        do throws(DataInflater.Failure) {
            try DataInflater.decompress(data.span.bytes, into: &output, limitBytes: ResponseBody.maximumBytes)
        } catch {
            isIncomplete = !isBare || error != .truncated
        }
        guard !output.isEmpty else { return (head, body, isTruncated) }
        let content = output.withReadableBytes { span in
            span.extracting(first: ResponseBody.maximumBytes).withUnsafeBytes { Array($0) }
        }
        return (head, content, isTruncated || isIncomplete)
    }

    /// A window of 32 KiB, and a valid check.
    private static let zlibHeader: [UInt8] = [0x78, 0x01]
}
