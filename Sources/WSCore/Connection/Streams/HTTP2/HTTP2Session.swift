import CNGHTTP2

/// The frames of an HTTP/2 connection (RFC 9113) in nghttp2, which does no I/O.
///
///      HTTP2Connection ─► receive ─► nghttp2 ─► heads, data, ends of HTTP2Stream
///      HTTP2Connection ◄─ produce ◄─ nghttp2 ◄─ heads, unsent bytes of HTTP2Stream
///
/// nghttp2 must not be entered from its own callbacks, except to submit frames. ``HTTP2Connection`` takes care of that.
internal final class HTTP2Session {
    /// The window of each stream: the bandwidth-delay product of 1 Gbit/s and 100 ms is 12.5 MB. It bounds the bytes that a
    /// paused stream holds.
    static let windowBytes: Int32 = 16 << 20
    /// Bytes are returned to the window in parts of this size.
    static let windowUpdateBytes = Int(windowBytes / 8)
    /// Data frames are produced up to this number of bytes at once.
    private static let outputBytes = 256 << 10
    /// The maximum number of unanswered SETTINGS and PING frames, and of settings in a frame.
    private static let maximumAcknowledgements = 100
    private static let maximumSettings = 32

    private let handle: OpaquePointer
    private unowned let connection: HTTP2Connection
    private let limits: HeadLimits
    /// The frames to send.
    var output = ByteBuffer()
    /// The head that is being received. There is one at a time (RFC 9113 §4.3).
    private var head = HTTP2Head()
    /// Why nghttp2 has rejected a frame of the connection.
    private var violation: HTTP2Error?

    /// Creates a client's session. Its first frames are then in ``output``.
    init(client connection: HTTP2Connection, limits: HeadLimits) {
        self.connection = connection
        self.limits = limits
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        var handle: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&options) == 0 else {
            preconditionFailure("nghttp2 has no memory")
        }
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(options)
        }
        // The window follows the reader, not the arrival of data.
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_no_closed_streams(options, 1)
        nghttp2_option_set_max_outbound_ack(options, Self.maximumAcknowledgements)
        nghttp2_option_set_max_settings(options, Self.maximumSettings)
        Self.configure(callbacks)
        // The session receives its own address last, when all properties are set.
        guard nghttp2_session_client_new2(&handle, callbacks, nil, options) == 0, let handle else {
            preconditionFailure("nghttp2 has no memory")
        }
        self.handle = handle
        nghttp2_session_set_user_data(handle, Unmanaged.passUnretained(self).toOpaque())
        let settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(Self.windowBytes)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: UInt32(limits.maximumBytes)),
        ]
        nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        nghttp2_session_set_local_window_size(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Self.windowBytes)
    }

    deinit {
        nghttp2_session_del(handle)
    }

    // MARK: Receiving

    /// Receives bytes, which ``HTTP2Stream`` may modify.
    func receive(_ bytes: UnsafeMutableRawBufferPointer) {
        let count = nghttp2_session_mem_recv(
            handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        if count < 0, violation == nil { violation = Self.violation(Int32(count)) }
    }

    /// Why the connection cannot continue; nil if it can. nghttp2 knows only after it has produced its GOAWAY frame.
    var failure: HTTP2Error? {
        guard nghttp2_session_want_read(handle) == 0 || violation != nil else { return nil }
        return violation ?? .goAway(code: HTTP2Error.noError, debugData: "")
    }

    /// Whether the peer accepts extended CONNECT.
    var allowsExtendedConnect: Bool {
        nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    }

    /// Allows the peer to send more, on a stream or, with 0, on the connection.
    func returnToWindow(_ byteCount: Int, of stream: Int32) {
        nghttp2_submit_window_update(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, Int32(clamping: byteCount))
    }

    // MARK: Sending

    /// Appends frames to ``output``, up to its limit.
    func produce() {
        while output.count < Self.outputBytes {
            var start: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &start)
            guard count > 0, let start else { return }
            output.append(UnsafeRawBufferPointer(start: start, count: count).bytes)
        }
    }

    /// Submits a request, and its data unless the head ends the stream. Returns the identifier of the stream; negative
    /// if the connection accepts no more streams.
    func submitRequest(_ fields: [HeaderField], for stream: HTTP2Stream, endsStream: Bool) -> Int32 {
        let providers = endsStream ? [] : [Self.dataProvider(of: stream)]
        return Self.withPairs(fields) { pairs in
            providers.withUnsafeBufferPointer { providers in
                nghttp2_submit_request(
                    handle, nil, pairs.baseAddress, pairs.count, endsStream ? nil : providers.baseAddress,
                    Unmanaged.passUnretained(stream).toOpaque())
            }
        }
    }

    /// Continues with the data of a stream that had none.
    func resume(_ stream: Int32) { nghttp2_session_resume_data(handle, stream) }

    /// Resets a stream: its output, or the peer's, is incomplete (RFC 8441 §5).
    func reset(_ stream: Int32) {
        nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, NGHTTP2_CANCEL.rawValue)
    }

    /// Ends the connection with GOAWAY.
    func terminate() { nghttp2_session_terminate_session(handle, HTTP2Error.noError) }

    /// Calls `body` with the fields as nghttp2 takes them. It copies them.
    private static func withPairs<R>(
        _ fields: [HeaderField], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> R
    ) -> R {
        var bytes: [UInt8] = []
        var lengths: [(name: Int, value: Int)] = []
        for field in fields {
            let (name, value) = (field.name.utf8, field.valueBytes)
            bytes += name
            bytes += value
            lengths.append((name.count, value.count))
        }
        return bytes.withUnsafeMutableBufferPointer { bytes in
            // An empty value still needs an address.
            guard var position = bytes.baseAddress else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
            let pairs = lengths.map { length in
                defer { position += length.name + length.value }
                return nghttp2_nv(
                    name: position, value: position + length.name, namelen: length.name, valuelen: length.value,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
            }
            return pairs.withUnsafeBufferPointer(body)
        }
    }

    /// The unsent bytes of a stream. nghttp2 asks for their number; the callback for frames then copies them.
    private static func dataProvider(of stream: HTTP2Stream) -> nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque())) {
            _, _, _, length, flags, source, _ in
            guard let stream = HTTP2Session.stream(at: source?.pointee.ptr), let flags else {
                return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
            }
            guard let next = stream.nextData(maximumBytes: length) else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
            flags.pointee = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
            if next.endsStream { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
            return next.byteCount
        }
    }
}

// The callbacks of nghttp2.
extension HTTP2Session {
    private static func configure(_ callbacks: OpaquePointer?) {
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
                session.stream(of: frame)?.failure = .head(error)
                // nghttp2 resets the stream.
                return Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
        }
        // Without this callback, nghttp2 ignores malformed fields.
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, frame, name, count, _, _, _, session in
            let name = String(decoding: UnsafeBufferPointer(start: name, count: count).prefix(64), as: UTF8.self)
            if let frame {
                HTTP2Session.at(session)?.stream(of: frame)?.failure = .violation(
                    reason: "the header field \(quoted(name)) is malformed")
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
            } else if session.violation == nil {
                session.violation = violation
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, session in
            guard let goAway = frame?.pointee.goaway, goAway.hd.type == NGHTTP2_GOAWAY.rawValue,
                goAway.error_code != HTTP2Error.noError, let session = HTTP2Session.at(session),
                session.violation == nil
            else { return 0 }
            // nghttp2 tells the peer what is wrong, in words or with a code.
            let data = UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
            let words = String(decoding: data, as: UTF8.self)
            session.violation = .violation(reason: words.isEmpty ? HTTP2Error.name(of: goAway.error_code) : words)
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
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, session in
            if let session = HTTP2Session.at(session), let stream = session.stream(with: stream) {
                session.connection.didClose(stream, code: code)
            }
            return 0
        }
    }

    private func didReceive(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        let endsStream = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            // Fields of trailers are ignored.
            if let stream = stream(of: frame), let response = head.response { stream.didReceive(response) }
            if endsStream { stream(of: frame)?.end(.ended) }
        case NGHTTP2_DATA.rawValue: if endsStream { stream(of: frame)?.end(.ended) }
        case NGHTTP2_SETTINGS.rawValue:
            if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { connection.didReceiveSettings() }
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame.pointee.goaway
            let data = UnsafeBufferPointer(start: goAway.opaque_data, count: min(goAway.opaque_data_len, 256))
            connection.goAway = .goAway(code: goAway.error_code, debugData: String(decoding: data, as: UTF8.self))
        default: break
        }
    }

    private static func at(_ address: UnsafeMutableRawPointer?) -> HTTP2Session? {
        address.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func stream(at address: UnsafeMutableRawPointer?) -> HTTP2Stream? {
        address.map { Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stream(with identifier: Int32) -> HTTP2Stream? {
        Self.stream(at: nghttp2_session_get_stream_user_data(handle, identifier))
    }

    private func stream(of frame: UnsafePointer<nghttp2_frame>) -> HTTP2Stream? {
        stream(with: frame.pointee.hd.stream_id)
    }

    private static func violation(_ code: Int32) -> HTTP2Error {
        .violation(reason: nghttp2_strerror(code).map { String(cString: $0) } ?? "error \(code)")
    }
}

extension LibraryVersion {
    /// The version of nghttp2.
    package static var nghttp2: LibraryVersion {
        LibraryVersion(name: "nghttp2", text: nghttp2_version(0)?.pointee.version_str.map { String(cString: $0) } ?? "")
    }
}
