/// Signs requests without a body for AWS, in header fields (Signature Version 4).
///
/// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
package struct AWSSigner: Equatable, Sendable {
    let credentials: AWSCredentials
    let region: String
    let service: String

    /// The fields of a signature. No other origin receives them.
    package static let fieldNames = ["X-Amz-Date", "X-Amz-Security-Token", "Authorization"]

    /// Creates a signer.
    /// - Parameters:
    ///   - region: As in `us-east-1`.
    ///   - service: The name of the service in signatures, as in `execute-api`.
    package init(credentials: AWSCredentials, region: String, service: String) {
        self.credentials = credentials
        self.region = region
        self.service = service
    }

    /// The fields to add to a request, which replace others with the same names: X-Amz-Date, X-Amz-Security-Token if
    /// the credentials are temporary, and Authorization.
    ///
    /// Signing takes 10 to 30 µs, including the key, which depends on the date. Keeping the key is not worth it.
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - target: The path and query of the request, as sent.
    ///   - fields: The fields to sign, with Host among them.
    ///   - time: The current time, in seconds since 1970-01-01 00:00 UTC.
    func fields(
        signing method: String, _ target: String, _ fields: [HeaderField], at time: Int
    ) -> [HeaderField] {
        let stamp = Self.stamp(of: time)
        var added = [HeaderField(wellFormedName: "X-Amz-Date", value: stamp)]
        if let token = credentials.sessionToken {
            added.append(HeaderField(wellFormedName: "X-Amz-Security-Token", value: token))
        }
        let signed = fields.filter { field in !added.contains { $0.isNamed(field.name) } } + added
        let headers = Self.canonicalHeaders(signed)
        let names = headers.map(\.name).joined(separator: ";")
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let request = [
            method, Self.canonicalPath(Substring(parts[0])),
            parts.count > 1 ? Self.canonicalQuery(Substring(parts[1])) : "",
            headers.map { "\($0.name):\($0.value)\n" }.joined(), names,
            signed.first { $0.isNamed("X-Amz-Content-Sha256") }?.value ?? Self.emptyBodyHash,
        ].joined(separator: "\n")
        let scope = [String(stamp.prefix(8)), region, service, "aws4_request"]
        let scopeText = scope.joined(separator: "/")
        let hash = Digest.hexadecimal(Digest.sha256(Array(request.utf8)))
        let key = scope.reduce(Array("AWS4\(credentials.secretKey)".utf8)) { key, part in
            Digest.hmacSHA256(Array(part.utf8), key: key)
        }
        let text = "\(Self.algorithm)\n\(stamp)\n\(scopeText)\n\(hash)"
        let signature = Digest.hexadecimal(Digest.hmacSHA256(Array(text.utf8), key: key))
        let authorization = """
            \(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scopeText), SignedHeaders=\(names), \
            Signature=\(signature)
            """
        return added + [HeaderField(wellFormedName: "Authorization", value: authorization)]
    }

    /// As in `20150830T123600Z`.
    private static func stamp(of time: Int) -> String {
        let (year, month, day) = CalendarDay.date(ofDay: time / 86400)
        let second = time % 86400
        let clock = second / 3600 * 10000 + second / 60 % 60 * 100 + second % 60
        return "\(year * 10000 + month * 100 + day)T\(String(1_000_000 + clock).dropFirst())Z"
    }

    /// The normalized path, encoded once more: of the services that accept WebSockets, none expects anything else.
    /// (S3 does.)
    private static func canonicalPath(_ path: Substring) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") {
            switch segment {
            case ".": break
            case "..": _ = segments.popLast()
            default: segments.append(segment)
            }
        }
        let end = path.hasSuffix("/") && !segments.isEmpty ? "/" : ""
        return PercentEncoding.encode(("/" + segments.joined(separator: "/") + end).utf8) {
            PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/")
        }
    }

    /// The parameters, sorted by name and then by value.
    private static func canonicalQuery(_ query: Substring) -> String {
        query.split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (component(parts[0]), parts.count > 1 ? component(parts[1]) : "")
        }
        .sorted { $0 < $1 }
        .map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// The service decodes parameters before it encodes them, so one that is sent as `a:b` is signed as `a%3Ab`.
    private static func component(_ text: Substring) -> String {
        let bytes = (try? PercentEncoding.decodeBytes(text)) ?? Array(text.utf8)
        return PercentEncoding.encode(bytes, where: PercentEncoding.isUnreserved)
    }

    /// The fields in the order of their names, which are in lower case. Each run of spaces becomes one.
    private static func canonicalHeaders(_ fields: [HeaderField]) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for field in fields {
            let words = field.value.utf8.split(whereSeparator: ASCII.isOptionalWhitespace)
            values[ASCII.lowercased(field.name), default: []].append(
                words.map { String(Substring($0)) }.joined(separator: " "))
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
    }

    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let emptyBodyHash = Digest.hexadecimal(Digest.sha256([]))
}
