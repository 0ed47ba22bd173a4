import CLibuv

/// The address of an IPv4 or IPv6 socket.
public struct SocketAddress: Sendable, CustomStringConvertible {
    /// The kinds of addresses.
    public enum Family: Sendable {
        /// IPv4.
        case ipv4
        /// IPv6.
        case ipv6
    }

    private var storage: sockaddr_storage

    /// Reads a numeric address: `127.0.0.1`, `::1`, `fe80::1%eth0`; nil when `text` is none.
    public init?(numeric text: String, port: UInt16) {
        var storage = sockaddr_storage()
        let isAddress = withUnsafeMutablePointer(to: &storage) { pointer in
            let raw = UnsafeMutableRawPointer(pointer)
            return uv_ip4_addr(text, Int32(port), raw.assumingMemoryBound(to: sockaddr_in.self)) == 0
                || uv_ip6_addr(text, Int32(port), raw.assumingMemoryBound(to: sockaddr_in6.self)) == 0
        }
        guard isAddress else { return nil }
        self.storage = storage
    }

    /// Copies an address that the system gives; nil when it is neither IPv4 nor IPv6.
    internal init?(_ address: UnsafePointer<sockaddr>) {
        var storage = sockaddr_storage()
        let byteCount: Int
        switch Int32(address.pointee.sa_family) {
        case Int32(AF_INET): byteCount = MemoryLayout<sockaddr_in>.size
        case Int32(AF_INET6): byteCount = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        withUnsafeMutableBytes(of: &storage) { target in
            target.copyMemory(from: UnsafeRawBufferPointer(start: address, count: byteCount))
        }
        self.storage = storage
    }

    /// Whether this is an IPv4 or an IPv6 address.
    public var family: Family { Int32(storage.ss_family) == Int32(AF_INET6) ? .ipv6 : .ipv4 }

    /// The port.
    public var port: UInt16 {
        withUnsafeBytes(of: storage) { bytes in
            // sin_port and sin6_port lie at the same place.
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// The same address with another port.
    internal func withPort(_ port: UInt16) -> SocketAddress {
        var copy = self
        withUnsafeMutableBytes(of: &copy.storage) { bytes in
            bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
        return copy
    }

    /// The address without its port: `127.0.0.1`, `::1`.
    public var host: String {
        withSockaddr { address in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                guard let base = text.baseAddress, uv_ip_name(address, base, text.count) == 0 else { return "?" }
                return String(cString: base)
            }
        }
    }

    /// The 4 or 16 bytes of the address, in the order of the network.
    public var hostBytes: [UInt8] {
        withUnsafeBytes(of: storage) { bytes in
            switch family {
            case .ipv4: Array(bytes[4..<8])
            case .ipv6: Array(bytes[8..<24])
            }
        }
    }

    /// The address with its port: `127.0.0.1:80`, `[::1]:80`.
    public var description: String {
        family == .ipv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    internal func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>) -> R) -> R {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}
