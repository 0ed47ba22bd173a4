import COpenSSL

/// An entry of OpenSSL's error queue.
struct OpenSSLError: Equatable {
    let code: UInt

    var library: Int32 { wsx_error_library(code) }
    var reason: Int32 { wsx_error_reason(code) }

    /// OpenSSL's message, without codes.
    var words: String {
        // The reason of a system error is its errno, with a message from the C library.
        if let text = ERR_reason_error_string(code) { return escapingControls(String(cString: text)) }
        guard library == ERR_LIB_SYS, let text = strerror(reason) else { return "error \(code)" }
        return String(cString: text)
    }
}

/// The calling thread's error queue of OpenSSL.
enum OpenSSLErrors {
    /// Discards errors of earlier calls, which would be attributed to the next call.
    static func clear() { ERR_clear_error() }

    /// Removes and returns all entries, oldest first. The oldest is the cause.
    static func takeAll() -> [OpenSSLError] {
        var errors: [OpenSSLError] = []
        while case let code = ERR_get_error(), code != 0 { errors.append(OpenSSLError(code: code)) }
        return errors
    }

    /// Removes all entries and returns the message of the oldest.
    static func takeWords() -> String {
        takeAll().first?.words ?? "no reason given"
    }
}
