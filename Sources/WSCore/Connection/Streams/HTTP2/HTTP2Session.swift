import CNGHTTP2

/// The frames of an HTTP/2 connection (RFC 9113) in nghttp2, which does no I/O.
///
///      HTTP2Connection ─► receive ─► nghttp2 ─► heads, data, ends of HTTP2Stream
///      HTTP2Connection ◄─ produce ◄─ nghttp2 ◄─ heads, unsent bytes of HTTP2Stream
///
/// nghttp2 must not be entered from its own callbacks, except to submit frames. ``HTTP2Connection`` takes care of that.
internal final class HTTP2Session {
    /// The role of this end, and the settings that depend on it.
    enum Role {
        case client
        /// - maximumStreams: The advertised number of concurrent streams. ``HTTP2Connection`` refuses further ones.
        case server(maximumStreams: Int)

        var isServer: Bool { if case .server = self { true } else { false } }

        /// The window of each stream, which bounds the bytes that a paused stream holds. For clients, it is more than the
        /// bandwidth-delay product of 1 Gbit/s and 100 ms, 12.5 MB. For servers, it is small, because a connection may have
        /// many streams; it may grow (``HTTP2WindowBudget``).
        var windowBytes: Int32 {
            switch self {
            case .client: connectionWindowBytes
            case .server: Int32(HTTP2Session.serverWindowBytes)
            }
        }
    }

    /// The window of the connection.
    static let connectionWindowBytes: Int32 = 16 << 20
    /// The window of each stream of a server.
    static let serverWindowBytes = 16 << 10
    /// Data frames are produced up to this number of bytes at once.
    static let outputBytes = 256 << 10
    /// RFC 9113 §6.5.2: the maximum size of a received frame, without its head.
    static let maximumFrameBytes = 16 << 10
    /// The maximum number of unanswered SETTINGS and PING frames, and of settings in a frame.
    private static let maximumAcknowledgements = 100
    private static let maximumSettings = 32
    /// The maximum number of frames that reset their stream, in 10 s.
    static let maximumRejections = 100
    /// The maximum number of requests in a row that a client cancels within a second. Each costs a line of the log, or a
    /// connection to another server.
    static let maximumCancellations = 100
    static let rejectionPeriodMilliseconds: UInt64 = 10_000

    let handle: OpaquePointer
    let role: Role
    unowned let connection: HTTP2Connection
    let limits: HeadLimits
    /// The frames to send.
    var output = ByteBuffer()
    /// The head that is being received. There is one at a time (RFC 9113 §4.3).
    var head = HTTP2Head()
    /// Why nghttp2 has rejected a frame of the connection.
    var violation: HTTP2Error?
    /// The frames that have reset their stream since a time of the loop, in milliseconds.
    var rejections: (count: Int, since: UInt64) = (0, 0)
    /// The number of young streams in a row that the peer has reset.
    var cancellationCount = 0

    /// Creates a session. Its first frames are produced next.
    init(_ role: Role, of connection: HTTP2Connection, limits: HeadLimits) {
        self.role = role
        self.connection = connection
        self.limits = limits
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        var handle: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&options) == 0 else {
            endWithoutMemory()
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
        let result =
            switch role {
            case .client: nghttp2_session_client_new2(&handle, callbacks, nil, options)
            case .server: nghttp2_session_server_new2(&handle, callbacks, nil, options)
            }
        guard result == 0, let handle else { endWithoutMemory() }
        self.handle = handle
        nghttp2_session_set_user_data(handle, Unmanaged.passUnretained(self).toOpaque())
        let settings = Self.settings(of: role, limits: limits).map { identifier, value in
            nghttp2_settings_entry(settings_id: Int32(identifier.rawValue), value: UInt32(clamping: value))
        }
        nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        nghttp2_session_set_local_window_size(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Self.connectionWindowBytes)
        if case .server(let maximumStreams) = role { advertise(maximumStreams) }
    }

    private static func settings(of role: Role, limits: HeadLimits) -> [(nghttp2_settings_id, Int)] {
        let both = [
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, Int(role.windowBytes)),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.maximumBytes),
        ]
        switch role {
        case .client: return [(NGHTTP2_SETTINGS_ENABLE_PUSH, 0)] + both
        // RFC 8441 §3. The last one becomes smaller; see ``advertise(_:)``.
        case .server(let maximumStreams):
            return [(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1)] + both
                + [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, maximumStreams + maximumStreams / 9 + 1)]
        }
    }

    /// Advertises fewer streams than nghttp2 tolerates, in the last setting of the first frame. It ends the connection of a
    /// client that exceeds the number; RFC 9113 §5.1.2 allows to refuse the stream instead, as if it had been too late.
    private func advertise(_ maximumStreams: Int) {
        var start: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(handle, &start)
        guard count > 4, let start else { return }
        output.append(UnsafeRawBufferPointer(start: start, count: count - 4).bytes)
        withUnsafeBytes(of: UInt32(clamping: maximumStreams).bigEndian) { output.append($0.bytes) }
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

    /// Whether no stream of the connection can receive anything more. nghttp2 knows only after it has produced its GOAWAY
    /// frame.
    var isOver: Bool { nghttp2_session_want_read(handle) == 0 || violation != nil }

    /// Whether the peer accepts extended CONNECT.
    var allowsExtendedConnect: Bool {
        nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    }

    /// The maximum number of concurrent streams that the peer accepts.
    var maximumPeerStreams: Int {
        Int(nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// Allows the peer to send more, on a stream or, with 0, on the connection.
    func sendWindowUpdate(_ byteCount: Int, of stream: Int32) {
        nghttp2_submit_window_update(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, Int32(clamping: byteCount))
    }

    /// Enlarges the window of a stream.
    func setWindow(_ byteCount: Int, of stream: Int32) {
        nghttp2_session_set_local_window_size(
            handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, Int32(clamping: byteCount))
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

    /// Submits the head of a response, and its data.
    func submitResponse(_ fields: [HeaderField], for stream: HTTP2Stream) {
        var provider = Self.dataProvider(of: stream)
        _ = Self.withPairs(fields) { pairs in
            nghttp2_submit_response(handle, stream.identifier, pairs.baseAddress, pairs.count, &provider)
        }
    }

    /// Submits the head of an interim response. That of another response follows.
    func submitInterim(_ fields: [HeaderField], for stream: HTTP2Stream) {
        _ = Self.withPairs(fields) { pairs in
            nghttp2_submit_headers(
                handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.identifier, nil, pairs.baseAddress, pairs.count, nil)
        }
    }

    /// Submits the trailers of a response, which end the stream.
    private func submitTrailers(_ fields: [HeaderField], for stream: HTTP2Stream) {
        _ = Self.withPairs(fields) { nghttp2_submit_trailer(handle, stream.identifier, $0.baseAddress, $0.count) }
    }

    /// Continues with the data of a stream that had none.
    func resume(_ stream: Int32) { nghttp2_session_resume_data(handle, stream) }

    /// Resets a stream.
    func reset(_ stream: Int32, code: UInt32) {
        nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code)
    }

    /// Announces with GOAWAY that no further streams are accepted. Those that exist continue.
    func sendGoAway() {
        let last = nghttp2_session_get_last_proc_stream_id(handle)
        nghttp2_submit_goaway(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, HTTP2Error.noError, nil, 0)
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
            if next.endsStream, !stream.responseTrailers.isEmpty {
                flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
                stream.connection.session.submitTrailers(stream.responseTrailers, for: stream)
            }
            return next.byteCount
        }
    }
}

extension LibraryVersion {
    /// The version of nghttp2.
    package static var nghttp2: LibraryVersion {
        LibraryVersion(name: "nghttp2", text: nghttp2_version(0)?.pointee.version_str.map { String(cString: $0) } ?? "")
    }
}
