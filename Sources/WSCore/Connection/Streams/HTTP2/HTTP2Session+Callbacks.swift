import CNGHTTP2

// The callbacks of nghttp2. They must not enter it, except to submit frames.
extension HTTP2Session {
    static func configure(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { handle, header, _ in
            // RFC 9113 §4.2. nghttp2 checks the size of other frames.
            if let header = header?.pointee, header.type == NGHTTP2_CONTINUATION.rawValue,
                header.length > HTTP2Session.maximumFrameBytes
            {
                nghttp2_session_terminate_session(handle, NGHTTP2_FRAME_SIZE_ERROR.rawValue)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, _, session in
            HTTP2Session.at(session)?.head = HTTP2Head()
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, valueCount, _, session in
            guard let session = HTTP2Session.at(session), let frame else { return 0 }
            let name = UnsafeBufferPointer(start: name, count: nameCount)
            let value = UnsafeBufferPointer(start: value, count: valueCount)
            do throws(HTTPHeadError) {
                try session.head.receive(name, value, limits: session.limits)
                return 0
            } catch {
                let stream = session.stream(of: frame)
                stream?.failure = .head(error)
                // A request is answered, unless it is a bomb.
                guard stream != nil || session.head.listBytes > session.limits.maximumBytes * 4 else { return 0 }
                session.reset(frame.pointee.hd.stream_id, code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
                session.countRejection()
                // For the rest of the head, nghttp2 only keeps its table of fields up to date.
                return Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
        }
        // Without this callback, nghttp2 ignores malformed fields.
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, frame, name, count, _, _, _, session in
            let name = String(decoding: UnsafeBufferPointer(start: name, count: count).prefix(64), as: UTF8.self)
            if let frame, let session = HTTP2Session.at(session) {
                session.stream(of: frame)?.failure = .violation(
                    reason: "the header field \(quoted(name)) is malformed")
                // RFC 9113 §8.1.1.
                session.reset(frame.pointee.hd.stream_id, code: NGHTTP2_PROTOCOL_ERROR.rawValue)
                session.countRejection()
            }
            return Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, session in
            if let frame { HTTP2Session.at(session)?.didReceive(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, session in
            guard let frame, let session = HTTP2Session.at(session) else { return 0 }
            let violation = HTTP2Session.violation(code)
            if let stream = session.stream(of: frame) {
                if stream.failure == nil { stream.failure = violation }
            } else if session.violation == nil, !session.role.isServer || frame.pointee.hd.stream_id == 0 {
                session.violation = violation
            }
            session.countRejection()
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, session in
            // nghttp2 tells the peer what is wrong, in words or with a code.
            guard let frame, let session = HTTP2Session.at(session) else { return 0 }
            switch UInt32(frame.pointee.hd.type) {
            case NGHTTP2_GOAWAY.rawValue:
                let goAway = frame.pointee.goaway
                guard goAway.error_code != HTTP2Error.noError, session.violation == nil else { return 0 }
                let data = UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
                let words = String(decoding: data, as: UTF8.self)
                session.violation = .violation(reason: words.isEmpty ? HTTP2Error.name(of: goAway.error_code) : words)
            case NGHTTP2_RST_STREAM.rawValue:
                // The owner of a stream that it has reset receives no error.
                guard let stream = session.stream(of: frame), stream.failure == nil else { return 0 }
                stream.failure = .violation(reason: HTTP2Error.name(of: frame.pointee.rst_stream.error_code))
            default: break
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            handle, _, stream, data, count, session in
            guard let session = HTTP2Session.at(session), let data else { return 0 }
            // The bytes are a part of those passed to receive(_:).
            let bytes = UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(mutating: data), count: count)
            session.connection.didReceiveData(bytes, on: session.stream(with: stream))
            return 0
        }
        nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, head, length, source, session in
            guard let session = HTTP2Session.at(session), let stream = HTTP2Session.stream(at: source?.pointee.ptr)
            else { return Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
            guard session.output.count < HTTP2Session.outputBytes else { return Int32(NGHTTP2_ERR_WOULDBLOCK.rawValue) }
            // RFC 9113 §4.1: a frame begins with 9 bytes.
            session.output.append(UnsafeRawBufferPointer(start: head, count: 9).bytes)
            stream.moveData(length, to: &session.output)
            stream.didFrame()
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, session in
            if let session = HTTP2Session.at(session), let stream = session.stream(with: stream) {
                session.connection.didEnd(stream, code: code)
            }
            return 0
        }
    }

    /// Ends the connection of a peer that sends many frames for which streams are reset. A proxy's connection, which is
    /// shared by many clients, outlives single ones.
    func countRejection() {
        let now = connection.loop.turnMilliseconds
        if now - rejections.since >= Self.rejectionPeriodMilliseconds { rejections = (0, now) }
        rejections.count += 1
        if rejections.count == Self.maximumRejections {
            nghttp2_session_terminate_session(handle, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
        }
    }

    /// Ends the connection of a client that cancels all its requests at once.
    private func countCancellation(of stream: HTTP2Stream) {
        cancellationCount = stream.isYoung ? cancellationCount + 1 : 0
        guard role.isServer, cancellationCount == Self.maximumCancellations else { return }
        nghttp2_session_terminate_session(handle, NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    }

    func didReceive(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let endsStream = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            if let stream = stream(of: frame) {
                // Fields of a server's trailers are ignored.
                if let response = head.response {
                    stream.didReceive(response)
                } else if role.isServer {
                    stream.didReceive(trailers: head)
                }
                if endsStream { stream.end(.ended) }
            } else if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
                let stream = connection.makeStream(header.stream_id)
                nghttp2_session_set_stream_user_data(
                    handle, header.stream_id, Unmanaged.passUnretained(stream).toOpaque())
                if endsStream { stream.end(.ended) }
                if head.error != nil { countRejection() }
                connection.didReceiveRequest(head, on: stream)
            }
        case NGHTTP2_DATA.rawValue: if endsStream { stream(of: frame)?.end(.ended) }
        case NGHTTP2_SETTINGS.rawValue:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 {
                connection.didReceiveSettings()
            } else {
                connection.didAcknowledgeSettings()
            }
        case NGHTTP2_RST_STREAM.rawValue: if let stream = stream(of: frame) { countCancellation(of: stream) }
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame.pointee.goaway
            let data = UnsafeBufferPointer(start: goAway.opaque_data, count: min(goAway.opaque_data_len, 256))
            connection.goAway = .goAway(code: goAway.error_code, debugData: String(decoding: data, as: UTF8.self))
        default: break
        }
    }

    static func at(_ address: UnsafeMutableRawPointer?) -> HTTP2Session? {
        address.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    static func stream(at address: UnsafeMutableRawPointer?) -> HTTP2Stream? {
        address.map { Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue() }
    }

    func stream(with identifier: Int32) -> HTTP2Stream? {
        Self.stream(at: nghttp2_session_get_stream_user_data(handle, identifier))
    }

    func stream(of frame: UnsafePointer<nghttp2_frame>) -> HTTP2Stream? {
        stream(with: frame.pointee.hd.stream_id)
    }

    static func violation(_ code: Int32) -> HTTP2Error {
        .violation(reason: nghttp2_strerror(code).map { String(cString: $0) } ?? "error \(code)")
    }
}
