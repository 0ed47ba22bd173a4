/// The pseudo-fields and fields of a head, as they arrive (RFC 9113 §8.3). nghttp2 has checked their order and syntax.
internal struct HTTP2Head {
    private var pseudoFields: [String: String] = [:]
    private(set) var fields = HTTPFields()
    /// The number of bytes of the fields.
    private(set) var byteCount = 0
    private var overheadBytes = 0
    /// The size of the field list, as far as it has been read (RFC 9113 §6.5.2).
    var listBytes: Int { byteCount + overheadBytes }
    /// Why the rest of the head is ignored.
    private(set) var error: HTTPHeadError?

    /// Receives a field.
    /// - Throws: ``HTTPHeadError`` if the head exceeds the limits. Then it has this ``error``.
    mutating func receive(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, limits: HeadLimits
    ) throws(HTTPHeadError) {
        byteCount += name.count + value.count
        // RFC 9113 §6.5.2: the size of a field includes 32 bytes.
        overheadBytes += 32
        if let error { throw error }
        if listBytes > limits.maximumBytes {
            error = .tooLarge(maximumBytes: limits.maximumBytes)
        } else if fields.count >= limits.maximumFields {
            error = .tooManyFields(maximum: limits.maximumFields)
        }
        let name = String(decoding: name, as: UTF8.self)
        // nghttp2 allows bytes above 0x7F in a path.
        if error == nil, name == ":path", !value.allSatisfy(RequestHead.isTargetByte) {
            // Without the query, which may contain tokens.
            let path = value.prefix { $0 != UInt8(ascii: "?") }.prefix(64)
            error = .invalidTarget(String(decoding: path, as: UTF8.self))
        }
        if let error { throw error }
        if name.utf8.first == ASCII.colon {
            pseudoFields[name] = String(decoding: value, as: UTF8.self)
        } else {
            fields.append(HeaderField(wellFormedName: name, bytes: Array(value)))
        }
    }

    /// The response; nil for trailers.
    var response: ResponseHead? {
        pseudoFields[":status"].flatMap { Int($0) }.map {
            ResponseHead(status: $0, reason: "", fields: fields, version: .http2)
        }
    }

    /// The request; nil for trailers.
    var request: RequestHead? {
        guard let method = pseudoFields[":method"] else { return nil }
        let authority = pseudoFields[":authority"]
        // RFC 9113 §8.3.1: :authority replaces Host. A different Host stays, and is rejected as a second one.
        var all = HTTPFields(authority.map { [HeaderField(wellFormedName: "Host", value: $0)] } ?? [])
        var cookies: [[UInt8]] = []
        for field in fields {
            if field.isNamed("Cookie") {
                cookies.append(field.valueBytes)
            } else if !field.isNamed("Host") || field.value != authority {
                all.append(field)
            }
        }
        // RFC 9113 §8.2.3: the parts of a Cookie field are joined for anything but HTTP/2.
        if !cookies.isEmpty {
            all.append(HeaderField(wellFormedName: "Cookie", bytes: Array(cookies.joined(separator: "; ".utf8))))
        }
        let connectProtocol = pseudoFields[":protocol"]
        return RequestHead(
            http2Method: connectProtocol == nil ? method : "GET",
            // RFC 9113 §8.5: a CONNECT for a tunnel has no path.
            target: pseudoFields[":path"] ?? authority ?? "", fields: all, connectProtocol: connectProtocol)
    }
}

extension ResponseHead {
    /// The pseudo-field and the fields of the response over HTTP/2.
    var http2Fields: [HeaderField] {
        [HeaderField(wellFormedName: ":status", value: "\(status)")] + fields.http2Fields
    }

    /// Starts the response on a stream. Over HTTP/2, the head is a frame of its own.
    /// - Returns: The bytes to write before the content.
    func start(on stream: any ByteStream) -> [UInt8] {
        guard let stream = stream as? HTTP2Stream else { return bytes }
        stream.respond(self)
        return []
    }
}
