import CSystem
import Glibc

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, CustomStringConvertible {
    /// The address family.
    package enum Family: CaseIterable, Sendable {
        /// IPv4.
        case ipv4
        /// IPv6.
        case ipv6
    }

    // The larger of both structures, and a fifth of `sockaddr_storage`.
    private var storage: sockaddr_in6

    /// The size of the structure in bytes. The system also takes it for an IPv4 address.
    internal static var byteCount: socklen_t { socklen_t(MemoryLayout<sockaddr_in6>.size) }

    /// Parses a numeric address, such as `127.0.0.1`, `::1`, or `fe80::1%eth0`. Returns `nil` if `text` is not an
    /// address or its zone is not an interface of this machine (see ``unknownZone(of:)``).
    package init?(numeric text: String, port: UInt16) {
        guard Self.unknownZone(of: text) == nil else { return nil }
        var storage = sockaddr_in6()
        let isAddress = withUnsafeMutablePointer(to: &storage) { pointer in
            let raw = UnsafeMutableRawPointer(pointer)
            let (v4, v6) = (
                raw.assumingMemoryBound(to: sockaddr_in.self), raw.assumingMemoryBound(to: sockaddr_in6.self)
            )
            if inet_pton(AF_INET, text, &v4.pointee.sin_addr) == 1 {
                v4.pointee.sin_family = sa_family_t(AF_INET)
                v4.pointee.sin_port = port.bigEndian
                return true
            }
            let address = text.utf8.prefix { $0 != UInt8(ascii: "%") }
            guard inet_pton(AF_INET6, String(Substring(address)), &v6.pointee.sin6_addr) == 1 else { return false }
            v6.pointee.sin6_family = sa_family_t(AF_INET6)
            v6.pointee.sin6_port = port.bigEndian
            return true
        }
        guard isAddress else { return nil }
        self.storage = storage
        if let zone = Self.zone(of: text) { setZoneIndex(Self.zoneIndex(of: zone)) }
    }

    /// The zone of an IPv6 address if it is not an interface of this machine: `eth9` of `fe80::1%eth9`. Returns `nil`
    /// if the zone exists, or if `text` is not an IPv6 address with a zone.
    package static func unknownZone(of text: String) -> String? {
        guard let zone = zone(of: text), zoneIndex(of: zone) == 0 else { return nil }
        let address = text.utf8.prefix { $0 != UInt8(ascii: "%") }
        return SocketAddress(numeric: String(Substring(address)), port: 0)?.family == .ipv6 ? zone : nil
    }

    private static func zone(of text: String) -> String? {
        text.utf8.firstIndex(of: UInt8(ascii: "%")).map { String(text[text.utf8.index(after: $0)...]) }
    }

    /// RFC 4007 §11.2: a zone is an interface's name or index. Returns 0 if the interface does not exist.
    private static func zoneIndex(of zone: String) -> UInt32 {
        let index = if_nametoindex(zone)
        guard index == 0, let number = UInt32(zone), interfaceName(number) != nil else { return index }
        return number
    }

    private static func interfaceName(_ index: UInt32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { name in
            guard let base = name.baseAddress, if_indextoname(index, base) != nil else { return nil }
            return String(cString: base)
        }
    }

    /// Copies a system address. Returns `nil` if it is neither IPv4 nor IPv6.
    internal init?(_ address: UnsafePointer<sockaddr>) {
        var storage = sockaddr_in6()
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

    /// The address family.
    package var family: Family { Int32(storage.sin6_family) == Int32(AF_INET6) ? .ipv6 : .ipv4 }

    /// The port.
    package var port: UInt16 {
        withUnsafeBytes(of: storage) { bytes in
            // sin_port and sin6_port have the same offset.
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// The interface index of an IPv6 address, or 0 if it has none.
    private var zoneIndex: UInt32 {
        guard family == .ipv6 else { return 0 }
        return withUnsafeBytes(of: storage) { bytes in
            bytes.loadUnaligned(fromByteOffset: Self.zoneOffset, as: UInt32.self)
        }
    }

    private mutating func setZoneIndex(_ index: UInt32) {
        withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.storeBytes(of: index, toByteOffset: Self.zoneOffset, as: UInt32.self)
        }
    }

    private static var zoneOffset: Int { MemoryLayout<sockaddr_in6>.offset(of: \.sin6_scope_id) ?? 24 }

    /// Whether the address is link-local without a zone, such as `fe80::1`, and so ambiguous (RFC 4007 §6).
    internal var needsZone: Bool {
        guard family == .ipv6, zoneIndex == 0 else { return false }
        return withUnsafeBytes(of: storage) { bytes in
            let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
            // RFC 4291 §2.5.6: link-local addresses have the prefix fe80::/10.
            return bytes[start] == 0xFE && bytes[start + 1] & 0xC0 == 0x80
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

    /// Whether it is an address of the loopback interface.
    package var isLoopback: Bool {
        family == .ipv4 ? hostBytes.first == 127 : hostBytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The address without its port, such as `127.0.0.1`, `::1`, or `fe80::1%eth0`.
    package var host: String {
        let zone = zoneIndex == 0 ? "" : "%" + (Self.interfaceName(zoneIndex) ?? String(zoneIndex))
        return hostBytes.withUnsafeBytes { address in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                let family = family == .ipv4 ? AF_INET : AF_INET6
                guard let base = text.baseAddress,
                    inet_ntop(family, address.baseAddress, base, socklen_t(text.count)) != nil
                else { return "?" }
                return String(cString: base) + zone
            }
        }
    }

    /// The 4 or 16 bytes of the address in network byte order.
    package var hostBytes: [UInt8] {
        withUnsafeBytes(of: storage) { bytes in
            switch family {
            case .ipv4: Array(bytes[4..<8])
            case .ipv6: Array(bytes[8..<24])
            }
        }
    }

    /// The address with its port, such as `127.0.0.1:80` or `[::1]:80`.
    package var description: String {
        family == .ipv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    internal func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>) -> R) -> R {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}
