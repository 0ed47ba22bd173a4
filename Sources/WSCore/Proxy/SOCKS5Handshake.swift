/// The client's side of SOCKS5 (RFC 1928) with user name and password authentication (RFC 1929), without I/O.
///
///     greeting ──► method ──┬─ none ──────────────────────────┬──► request ──► reply ──► open
///                           └─ password ──► login ──► status ─┘
struct SOCKS5Handshake: Sendable {
    /// The target of the connection.
    enum Destination: Equatable {
        /// A host name of 1 to 255 bytes, which the proxy looks up.
        case name(String)
        /// An address of 4 or 16 bytes.
        case address([UInt8])

        /// Creates an address if `host` is an IP literal, otherwise a name.
        init(host: String) {
            self = (IPLiteral.ipv4(host) ?? IPLiteral.ipv6(host)).map(Destination.address) ?? .name(host)
        }
    }

    /// The next byte expected.
    private enum State {
        case methodVersion
        case method
        case statusVersion
        case status
        case replyVersion
        case reply
        case reserved
        case addressType
        case nameLength
        /// The rest of the bound address and port.
        case rest(byteCount: Int)
    }

    /// The action after a byte.
    private enum Step {
        case state(State)
        case send([UInt8], State)
        case open
    }

    private let destination: Destination
    private let port: UInt16
    private let credentials: Credentials?
    private var state = State.methodVersion

    /// Creates a handshake; user name and password must be 1 to 255 bytes each.
    init(to destination: Destination, port: UInt16, credentials: Credentials?) {
        self.destination = destination
        self.port = port
        self.credentials = credentials
    }

    /// The greeting (RFC 1928 §3): the version, the number of methods, and the methods.
    var greeting: [UInt8] {
        credentials == nil
            ? [Self.version, 1, Self.noAuthentication]
            : [Self.version, 2, Self.noAuthentication, Self.userNameAndPassword]
    }

    /// Processes bytes up to the end of the proxy's current message.
    mutating func receive(_ bytes: RawSpan) throws(ProxyError) -> ProxyHandshake.Progress {
        for offset in 0..<bytes.byteCount {
            switch try step(for: bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) {
            case .state(let next):
                state = next
            case .send(let answer, let next):
                state = next
                return .send(answer, consumedByteCount: offset + 1)
            case .open:
                return .open(consumedByteCount: offset + 1)
            }
        }
        return .needsMore
    }

    /// The error if the stream ends now.
    var failureAtEndOfStream: ProxyError {
        if case .methodVersion = state { .closedBeforeAnswer } else { .incompleteAnswer }
    }

    private func step(for byte: UInt8) throws(ProxyError) -> Step {
        switch state {
        case .methodVersion:
            guard byte == Self.version else { throw .notSOCKS(firstByte: byte) }
            return .state(.method)
        case .method:
            return try stepAfterMethod(byte)
        case .statusVersion:
            // RFC 1929 §2: the version is 1. Some proxies send the SOCKS version instead.
            guard byte == Self.loginVersion || byte == Self.version else { throw .invalidVersion(byte) }
            return .state(.status)
        case .status:
            // RFC 1929 §2: any status other than 0 is a failure.
            guard byte == 0 else { throw .loginRefused(status: byte) }
            return .send(request, .replyVersion)
        case .replyVersion:
            guard byte == Self.version else { throw .invalidVersion(byte) }
            return .state(.reply)
        case .reply:
            // RFC 1928 §6: any reply other than 0 is a failure. The rest of the message adds no information.
            guard byte == 0 else { throw .failed(SOCKS5Reply(code: byte)) }
            return .state(.reserved)
        case .reserved:
            // RFC 1928 §6: the reserved field must be 0.
            guard byte == 0 else { throw .invalidReservedByte(byte) }
            return .state(.addressType)
        case .addressType:
            return .state(try stateAfterAddressType(byte))
        case .nameLength:
            return .state(.rest(byteCount: Int(byte) + Self.portByteCount))
        case .rest(let byteCount):
            return byteCount > 1 ? .state(.rest(byteCount: byteCount - 1)) : .open
        }
    }

    private func stepAfterMethod(_ method: UInt8) throws(ProxyError) -> Step {
        switch method {
        case Self.noAuthentication: return .send(request, .replyVersion)
        case Self.userNameAndPassword:
            // RFC 1928 §3: the proxy selects one of the methods offered.
            guard let credentials else { throw .methodNotOffered(method) }
            return .send(Self.login(with: credentials), .statusVersion)
        case Self.noAcceptableMethod: throw .noAcceptableMethod(hasCredentials: credentials != nil)
        default: throw .methodNotOffered(method)
        }
    }

    private func stateAfterAddressType(_ type: UInt8) throws(ProxyError) -> State {
        switch type {
        case Self.ipv4: .rest(byteCount: 4 + Self.portByteCount)
        case Self.ipv6: .rest(byteCount: 16 + Self.portByteCount)
        case Self.domainName: .nameLength
        default: throw .invalidAddressType(type)
        }
    }

    /// The login (RFC 1929 §2): the version, then user name and password, each preceded by its length.
    private static func login(with credentials: Credentials) -> [UInt8] {
        [loginVersion] + withLength(credentials.user) + withLength(credentials.password)
    }

    /// The request (RFC 1928 §4): the version, the command, a reserved byte, the address, and the port.
    private var request: [UInt8] {
        let address =
            switch destination {
            case .name(let name): [Self.domainName] + Self.withLength(name)
            case .address(let bytes): [bytes.count == 4 ? Self.ipv4 : Self.ipv6] + bytes
            }
        return [Self.version, Self.connect, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    private static func withLength(_ text: String) -> [UInt8] {
        let bytes = text.utf8.prefix(255)
        return [UInt8(bytes.count)] + bytes
    }

    private static let version: UInt8 = 5
    private static let loginVersion: UInt8 = 1
    private static let noAuthentication: UInt8 = 0
    private static let userNameAndPassword: UInt8 = 2
    private static let noAcceptableMethod: UInt8 = 0xFF
    private static let connect: UInt8 = 1
    private static let ipv4: UInt8 = 1
    private static let domainName: UInt8 = 3
    private static let ipv6: UInt8 = 4
    private static let portByteCount = 2
}
