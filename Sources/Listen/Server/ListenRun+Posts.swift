import Conversation
import Formats
import UserInterface
import WSCore

// The requests of `--post`.
extension ListenRun {
    /// Sends the body of a POST request to the clients of its path, or to the one that the path names.
    /// - Returns: The response, or `nil` if a client has no room.
    func post(_ request: RequestHead, _ body: [UInt8]) -> WebResponse? {
        let recipients = PostRecipients(path: request.normalizedPath ?? "")
        guard recipients.isOneClient || settings.policy.hasWebSockets(at: request) else {
            return WebResponse(status: 404, text: "There are no clients at this path.")
        }
        guard let count = broadcaster.count(of: recipients) else { return nil }
        guard count > 0 || !recipients.isOneClient else {
            return WebResponse(status: 404, text: "There is no client with this number.")
        }
        let isBinary = request.fields.first(named: "Content-Type").map(Self.isBinary) ?? false
        guard isBinary || UTF8Validator.isValid(body.span.bytes) else {
            let remedy = "send binary data with Content-Type: application/octet-stream"
            return WebResponse(status: 400, text: "The message is not UTF-8; \(remedy).")
        }
        do throws(CodecError) {
            try broadcaster.encoder.encode(body.span.bytes, as: isBinary ? .binary : .text) {
                if count > 0 { broadcaster.post($0, as: $1, to: recipients) }
            }
        } catch {
            return WebResponse(status: 400, text: "The message cannot be encoded (--encode): \(error).")
        }
        return WebResponse(text: "\(count)")
    }

    /// Whether a media type, with or without parameters, is that of bytes.
    private static func isBinary(_ mediaType: String) -> Bool {
        let name = mediaType.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return name.lowercased() == "application/octet-stream"
    }
}

/// The clients that a POST request is for.
enum PostRecipients: Equatable {
    case path(String)
    case client(Int)

    private static let clientPrefix = "/clients/"

    /// Parses `/clients/N` with a number as the server writes it, or another path in normalized form.
    init(path: String) {
        let name = path.hasPrefix(Self.clientPrefix) ? path.dropFirst(Self.clientPrefix.count) : ""
        let isNumber = name.utf8.allSatisfy(ASCII.isDigit) && !name.hasPrefix("0") && !name.isEmpty
        // A number that does not fit is that of no client.
        self = isNumber ? .client(Int(name) ?? 0) : .path(path)
    }

    var isOneClient: Bool { if case .client = self { true } else { false } }

    func contain(_ client: some ServedClient) -> Bool {
        switch self {
        case .path(let path): client.path == path
        case .client(let number): client.number == number
        }
    }
}
