/// Codes of close frames (RFC 6455 §7.4).
enum CloseCode {
    static let normal: UInt16 = 1000
    /// Stands for a close frame without a code.
    static let none: UInt16 = 1005

    /// Whether a close frame may have this code: those of §7.4.1 and of IANA's registry, and the private ranges.
    static func isAllowed(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
