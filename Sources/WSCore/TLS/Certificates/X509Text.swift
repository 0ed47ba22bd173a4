import COpenSSL

/// Formats the contents of certificates as text that is safe to print. Their authors are not trusted.
enum X509Text {
    /// A distinguished name in one line, as in "CN=example.org, O=Example".
    static func name(_ name: OpaquePointer?) -> String {
        let text = printed { wsx_print_name($0, name) }
        return text.isEmpty ? "(no name)" : escapingControls(text)
    }

    static func subject(of certificate: OpaquePointer) -> String { name(X509_get_subject_name(certificate)) }

    static func issuer(of certificate: OpaquePointer) -> String { name(X509_get_issuer_name(certificate)) }

    /// The common name of the subject, or `nil` if there is none.
    static func commonName(of certificate: OpaquePointer) -> String? {
        let subject = X509_get_subject_name(certificate)
        let index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        guard index >= 0, let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)) else { return nil }
        return escapingControls(String(decoding: bytes(of: value), as: UTF8.self))
    }

    /// The host names and addresses among the subject's alternative names.
    static func alternativeNames(of certificate: OpaquePointer) -> AlternativeNames {
        var result = AlternativeNames()
        guard let names = wsx_alternative_names(certificate) else { return result }
        defer { GENERAL_NAMES_free(names) }
        for index in 0..<wsx_name_count(names) {
            guard let name = wsx_name(names, index) else { continue }
            switch name.pointee.type {
            case GEN_DNS:
                guard let value = name.pointee.d.dNSName else { continue }
                result.hosts.append(escapingControls(String(decoding: bytes(of: value), as: UTF8.self)))
            case GEN_IPADD:
                guard let value = name.pointee.d.iPAddress, let address = address(bytes(of: value)) else { continue }
                result.addresses.append(address)
            default: continue
            }
        }
        return result
    }

    /// Formats the 4 or 16 bytes of an IP address (RFC 5952 §4). Returns `nil` for any other number of bytes.
    static func address(_ bytes: [UInt8]) -> String? {
        switch bytes.count {
        case 4: return bytes.map(String.init).joined(separator: ".")
        case 16: break
        default: return nil
        }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // RFC 5952 §4.2.3: shorten the longest run of zeros, or the first of several.
        var gap = 0..<0
        for start in groups.indices {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.endIndex
            if end - start > max(gap.count, 1) { gap = start..<end }
        }
        let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
        guard !gap.isEmpty else { return text(groups[...]) }
        return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
    }

    /// Formats a time, as in "2026-11-21 12:42:18 UTC".
    static func time(_ time: UnsafePointer<ASN1_TIME>?) -> String {
        guard let time, let general = ASN1_TIME_to_generalizedtime(time, nil) else { return "an unreadable time" }
        defer { ASN1_STRING_free(general) }
        // RFC 5280 §4.1.2.5.2: the format is YYYYMMDDHHMMSSZ.
        let digits = String(decoding: bytes(of: general), as: UTF8.self)
        guard digits.utf8.count == 15 else { return escapingControls(digits) }
        let field = { (start: Int, count: Int) in String(digits.dropFirst(start).prefix(count)) }
        return "\(field(0, 4))-\(field(4, 2))-\(field(6, 2)) \(field(8, 2)):\(field(10, 2)):\(field(12, 2)) UTC"
    }

    /// Converts a time to seconds since 1970-01-01 00:00 UTC. Returns `nil` if it is unreadable.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int(days) * 86400 + Int(seconds)
    }

    /// The text that `print` writes to a memory BIO.
    static func printed(_ print: (OpaquePointer) -> Int32) -> String {
        String(decoding: written(print), as: UTF8.self)
    }

    /// The bytes that `write` writes to a memory BIO.
    static func written(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
        guard let bio = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(bio) }
        guard write(bio) >= 0 else { return [] }
        var start: UnsafePointer<CChar>?
        let count = wsx_bio_contents(bio, &start)
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func bytes(of string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        let count = ASN1_STRING_length(string)
        guard count > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(count)))
    }
}

/// The names that a certificate is for.
struct AlternativeNames: Equatable {
    var hosts: [String] = []
    var addresses: [String] = []

    var all: [String] { hosts + addresses }
}
