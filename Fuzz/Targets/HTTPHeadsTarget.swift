@testable import WSCore

extension FuzzTarget {
    /// Heads of requests and responses, with default and with tight limits.
    ///
    /// - The result depends neither on how a head is split nor on the data after it.
    /// - A head ends with its first empty line.
    /// - Parsed heads are well-formed: names are tokens, and values contain no control characters.
    /// - Heads survive serialization and parsing.
    static let httpHeads = FuzzTarget(name: "http-heads") { input in
        for kind in [HTTPHeadParser.Kind.request, .response] {
            for limits in [HeadLimits.client, HeadLimits(maximumBytes: 64, maximumFields: 3)] {
                let whole = HeadOutcome(of: [input[...]], kind, limits: limits)
                for pieces in waysToCut(input) {
                    let cut = HeadOutcome(of: pieces, kind, limits: limits)
                    expect(
                        whole.isAlike(cut), "\(kind), whole and in pieces of \(pieces.map(\.count)):\n\(whole)\n\(cut)")
                }
                checkHead(whole, kind)
                checkEnd(whole, of: input)
            }
        }
    }

    private static func checkHead(_ outcome: HeadOutcome, _ kind: HTTPHeadParser.Kind) {
        let startLine: [UInt8]
        let fields: HTTPFields
        switch outcome {
        case .needsMore: return
        case .failed(let error): return expectOneSafeLine(error.description)
        case .request(let head, _):
            startLine = Array("\(head.method) \(head.target) HTTP/1.\(head.minorVersion)".utf8)
            fields = head.fields
            // A bare scheme and the asterisk form have no path. Every path starts with a slash.
            expect(head.path.map { $0.hasPrefix("/") } ?? true, "the path is \(head.path ?? "")")
        case .response(let head, _):
            startLine = Array("HTTP/1.\(head.minorVersion) \(padded(head.status)) ".utf8) + head.reasonBytes
            fields = head.fields
        }
        var written = startLine
        for field in fields {
            expect(ASCII.isToken(field.name), "the name is not a token: \(field.name)")
            let isClean = field.value.utf8.allSatisfy { $0 == ASCII.tab || ($0 >= 0x20 && $0 != 0x7F) }
            expect(isClean, "a value contains a control character: \(field.value)")
            expectEqual(Array(field.value.utf8), Array(ASCII.trimmed(field.value).utf8), "a value and itself trimmed")
            written += Array("\r\n\(field.name): ".utf8) + field.valueBytes
        }
        written += Array("\r\n\r\n".utf8)
        // Repairing invalid UTF-8 makes values longer.
        let limits = HeadLimits(maximumBytes: .max, maximumFields: .max)
        let again = HeadOutcome(of: [written[...]], kind, limits: limits)
        expect(outcome.hasHead(of: again), "written and parsed again:\n\(outcome)\n\(again)")
    }

    private static func checkEnd(_ outcome: HeadOutcome, of input: [UInt8]) {
        guard let byteCount = outcome.byteCount else { return }
        // Empty lines before a request are skipped.
        let head = Array(input[..<byteCount].drop { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed })
        let end = head.indices.first { head[$0...].starts(with: "\r\n\r\n".utf8) }
        expectEqual(end, head.count - 4, "where the head ends")
    }

    private static func padded(_ status: Int) -> String {
        String(repeating: "0", count: 3 - String(status).count) + String(status)
    }
}

/// The outcome of parsing, with the number of bytes that belong to the head.
private enum HeadOutcome: Equatable {
    case needsMore
    case request(RequestHead, byteCount: Int)
    case response(ResponseHead, byteCount: Int)
    case failed(HTTPHeadError)

    init(of pieces: [ArraySlice<UInt8>], _ kind: HTTPHeadParser.Kind, limits: HeadLimits) {
        var parser = HTTPHeadParser(kind, limits: limits)
        var byteCountBefore = 0
        do throws(HTTPHeadError) {
            for piece in pieces {
                if let byteCount = try parser.receive(piece.span.bytes) {
                    expectEqual(parser.byteCount, byteCountBefore + byteCount, "the count of the parser")
                    if let head = parser.requestHead {
                        self = .request(head, byteCount: parser.byteCount)
                    } else if let head = parser.responseHead {
                        self = .response(head, byteCount: parser.byteCount)
                    } else {
                        unexpected("the head is complete but missing")
                    }
                    return
                }
                byteCountBefore += piece.count
            }
            self = .needsMore
        } catch {
            self = .failed(error)
        }
    }

    /// Whether both outcomes are equal, except for the amount of data quoted from input that is not HTTP.
    func isAlike(_ other: HeadOutcome) -> Bool {
        if case .failed(.notHTTP(let left)) = self, case .failed(.notHTTP(let right)) = other {
            return left.starts(with: right) || right.starts(with: left)
        }
        return self == other
    }

    /// The length of the head.
    var byteCount: Int? {
        switch self {
        case .request(_, let byteCount), .response(_, let byteCount): byteCount
        case .needsMore, .failed: nil
        }
    }

    func hasHead(of other: HeadOutcome) -> Bool {
        switch (self, other) {
        case (.request(let left, _), .request(let right, _)): left == right
        case (.response(let left, _), .response(let right, _)): left == right
        default: false
        }
    }
}
