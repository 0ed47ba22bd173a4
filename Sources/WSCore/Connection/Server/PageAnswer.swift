/// Answers to requests for pages that something else than a ``Server`` has read.
package enum PageAnswer {
    /// Sends the page at the path of a request, or refuses as a ``Server`` does, for instance an unexpected Host
    /// (``OriginPolicy``). Closes the stream.
    /// - Parameter completion: Called when the stream is closed, with the status.
    package static func send(
        _ pages: [WebPage], for request: RequestHead, policy: ServerPolicy, on stream: any ByteStream,
        completion: @escaping (_ status: Int) -> Void
    ) {
        var response: WebResponse
        do throws(HandshakeRefusal) {
            _ = try ServerHandshake.check(request, policy: policy)
            response = Site(policy: policy, pages: pages).response(to: request)
        } catch {
            response = WebResponse(error)
            response.complete(with: [])
        }
        var output = ByteBuffer()
        let bytes = response.head(at: .now).start(on: stream) + response.bytes(answering: request.method)
        bytes.withUnsafeBytes { output.append($0.bytes) }
        let status = response.status
        _ = LingeringClose(stream, output: output, closesOwnSide: true) { _, _ in completion(status) }
    }
}
