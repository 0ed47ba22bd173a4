import COpenSSL

/// An entry of OpenSSL's queue of errors, of which each thread has one.
struct OpenSSLError: Equatable {
    let code: UInt

    var library: Int32 { wsx_error_library(code) }
    var reason: Int32 { wsx_error_reason(code) }

    /// OpenSSL's words, without codes.
    var words: String {
        // Errors of the system have their number for a reason, and the C library's words.
        if let text = ERR_reason_error_string(code) { return escapingControls(String(cString: text)) }
        guard library == ERR_LIB_SYS, let text = strerror(reason) else { return "error \(code)" }
        return String(cString: text)
    }
}

/// The queue of OpenSSL's errors of this thread.
enum OpenSSLErrors {
    /// Forgets what is left of earlier calls, which would be taken for the next one's.
    static func clear() { ERR_clear_error() }

    /// Takes all entries, from the first, which is the cause, to the last.
    static func takeAll() -> [OpenSSLError] {
        var errors: [OpenSSLError] = []
        while case let code = ERR_get_error(), code != 0 { errors.append(OpenSSLError(code: code)) }
        return errors
    }

    /// Takes all entries and returns the words of the first.
    static func takeWords() -> String {
        takeAll().first?.words ?? "no reason given"
    }
}
