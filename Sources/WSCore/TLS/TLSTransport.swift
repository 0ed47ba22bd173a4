import COpenSSL

/// The I/O callbacks of OpenSSL: they read the ciphertext passed to a session and write to the session's output.
enum TLSTransport {
    /// Creates the transport of a session, which must outlive it. OpenSSL frees the transport together with its handle.
    static func make(for session: TLSSession) -> OpaquePointer? {
        guard let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(session).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    // Written once before its first use, and then constant.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wsx")
        BIO_meth_set_read(method) { bio, target, count in
            guard let target, let session = session(of: bio) else { return -1 }
            wsx_bio_clear_retry(bio)
            let copied = session.takeInput(UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
            if copied > 0 { return Int32(truncatingIfNeeded: copied) }
            // No more data now, but this is not the end.
            wsx_bio_set_retry_read(bio)
            return -1
        }
        BIO_meth_set_write(method) { bio, source, count in
            guard let source, let session = session(of: bio) else { return -1 }
            wsx_bio_clear_retry(bio)
            session.output.append(UnsafeRawBufferPointer(start: source, count: Int(count)).bytes)
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()

    private static func session(of bio: OpaquePointer?) -> TLSSession? {
        BIO_get_data(bio).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }
}
