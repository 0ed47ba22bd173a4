import COpenSSL

extension TLSTrust {
    /// Makes these authorities the only ones that a context trusts.
    /// - Parameter option: The command-line option with which the user can choose others, for errors.
    /// - Throws: ``TLSConfigurationError`` if the authorities cannot be read.
    internal func load(into context: OpaquePointer, option: String) throws(TLSConfigurationError) {
        OpenSSLErrors.clear()
        switch self {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context) == 1 else {
                throw .unavailable(reason: OpenSSLErrors.takeWords())
            }
            // A missing file or directory is not an error: the other may exist.
            OpenSSLErrors.clear()
            return
        case .file(let path):
            guard SSL_CTX_load_verify_file(context, path) == 1 else { throw Self.fileError(path, option: option) }
        case .directory(let path):
            try Self.loadDirectory(path, into: context, option: option)
        case .certificates(let bytes):
            let certificates = try PEM.certificates(bytes, option: option)
            guard !certificates.isEmpty else { throw .trustIsEmpty(option: option, path: nil) }
            certificates.forEach { X509_STORE_add_cert(SSL_CTX_get_cert_store(context), $0) }
        }
        // A certificate that the user names is trusted, even if it is an intermediate or a server's own.
        X509_STORE_set_flags(SSL_CTX_get_cert_store(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }

    private static func fileError(_ path: String, option: String) -> TLSConfigurationError {
        let errors = OpenSSLErrors.takeAll()
        if let error = errors.first(where: { $0.library == ERR_LIB_SYS }) {
            return .trustUnreadable(option: option, path: path, reason: error.words)
        }
        let isEmpty = errors.contains {
            ($0.library == ERR_LIB_X509 && $0.reason == X509_R_NO_CERTIFICATE_OR_CRL_FOUND)
                || ($0.library == ERR_LIB_PEM && $0.reason == PEM_R_NO_START_LINE)
        }
        guard !isEmpty, let error = errors.first else { return .trustIsEmpty(option: option, path: path) }
        return .trustIsInvalid(option: option, path: path, reason: error.words)
    }

    /// OpenSSL finds the files of a directory by hashes in their names (openssl rehash). If no file has such a name,
    /// all files are read.
    private static func loadDirectory(
        _ path: String, into context: OpaquePointer, option: String
    ) throws(TLSConfigurationError) {
        let files = try files(in: path, option: option)
        if files.contains(where: isHashed) {
            guard SSL_CTX_load_verify_dir(context, path) == 1 else {
                throw .trustIsInvalid(option: option, path: path, reason: OpenSSLErrors.takeWords())
            }
            return
        }
        var hasCertificate = false
        for file in files where SSL_CTX_load_verify_file(context, file) == 1 { hasCertificate = true }
        OpenSSLErrors.clear()
        guard hasCertificate else { throw .trustIsEmpty(option: option, path: path) }
    }

    /// The certificates of a file or directory of authorities in PEM, and nothing else of it.
    /// - Parameter read: Returns the contents of a file, or `nil` if it is not readable.
    /// - Throws: ``TLSConfigurationError``.
    package static func certificates(
        at path: String, isDirectory: Bool, option: String, read: (String) -> [UInt8]?
    ) throws(TLSConfigurationError) -> [UInt8] {
        var paths = isDirectory ? try files(in: path, option: option) : [path]
        if paths.contains(where: isHashed) { paths.removeAll { !isHashed($0) } }
        var text: [UInt8] = []
        for path in paths {
            guard let bytes = read(path), let certificates = try? PEM.certificates(bytes, option: option) else {
                continue
            }
            certificates.forEach { certificate in
                text += X509Text.written { PEM_write_bio_X509($0, certificate) }
            }
        }
        return text
    }

    private static func files(in path: String, option: String) throws(TLSConfigurationError) -> [String] {
        guard let store = OSSL_STORE_open("file:" + path, nil, nil, nil, nil) else {
            let errors = OpenSSLErrors.takeAll()
            let error = errors.first { $0.library == ERR_LIB_SYS } ?? errors.first
            throw .trustUnreadable(option: option, path: path, reason: error?.words ?? "no reason given")
        }
        defer { OSSL_STORE_close(store) }
        var files: [String] = []
        while OSSL_STORE_eof(store) == 0 {
            guard let entry = OSSL_STORE_load(store) else { continue }
            defer { OSSL_STORE_INFO_free(entry) }
            guard OSSL_STORE_INFO_get_type(entry) == OSSL_STORE_INFO_NAME,
                let name = OSSL_STORE_INFO_get0_NAME(entry)
            else { continue }
            let text = String(cString: name)
            files.append(text.hasPrefix("file:") ? String(text.dropFirst("file:".count)) : text)
        }
        OpenSSLErrors.clear()
        return files
    }

    /// Whether the name consists of eight hexadecimal digits, a dot, and a number.
    private static func isHashed(_ file: String) -> Bool {
        let parts = (file.split(separator: "/").last ?? "").split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == 8
            && parts[0].utf8.allSatisfy { ASCII.hexValue($0) != nil } && UInt(parts[1]) != nil
    }
}
