import Conversation
import Formats
import UserInterface
import WSCore

// The requests of `--post`.
extension ListenRun {
    /// The path before the number of a client.
    private static let clientPrefix = "/clients/"

    /// Sends the body of a POST request to the clients of its path, or to the one that the path names.
    /// - Returns: The response, or `nil` if a client has no room.
    func post(_ request: RequestHead, _ body: [UInt8]) -> WebResponse? {
        let path = request.normalizedPath ?? ""
        let number = path.hasPrefix(Self.clientPrefix) ? Int(path.dropFirst(Self.clientPrefix.count)) : nil
        guard number != nil || settings.policy.hasWebSockets(at: request) else {
            return WebResponse(status: 404, text: "There are no clients at this path.")
        }
        let isBinary = request.fields.first(named: "Content-Type").map(Self.isBinary) ?? false
        guard isBinary || UTF8Validator.isValid(body.span.bytes) else {
            let remedy = "send binary data with Content-Type: application/octet-stream"
            return WebResponse(status: 400, text: "The message is not UTF-8; \(remedy).")
        }
        var count: Int? = 0
        do throws(CodecError) {
            try broadcaster.encoder.encode(body.span.bytes, as: isBinary ? .binary : .text) {
                count = broadcaster.post($0, as: $1, to: path, client: number)
            }
        } catch {
            return WebResponse(status: 400, text: "The message cannot be encoded (--encode): \(error).")
        }
        guard let count else { return nil }
        if let number, count == 0 { return WebResponse(status: 404, text: "There is no client \(number).") }
        return WebResponse(text: "\(count)")
    }

    /// Whether a media type, with or without parameters, is that of bytes.
    private static func isBinary(_ mediaType: String) -> Bool {
        let name = mediaType.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return name.lowercased() == "application/octet-stream"
    }
}
