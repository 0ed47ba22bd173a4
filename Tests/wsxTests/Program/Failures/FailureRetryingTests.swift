import Testing
import WSCore

@testable import UserInterface

/// Which failures are worth a retry.
@Suite struct FailureRetryingTests {
    private static func connecting(_ error: ConnectError) -> Failure { .connecting(url: "ws://h/", error) }
    private static func unreachable(_ errors: IOError...) -> Failure {
        connecting(.unreachable(errors.map { ("h", .system($0)) }))
    }
    private static func refused(_ status: Int) -> HandshakeError {
        .refused(ResponseHead(status: status, reason: "", fields: HTTPFields()), body: [], bodyIsTruncated: false)
    }
    private static func proxyRefused(_ status: Int) -> ProxyError {
        .refused(ResponseHead(status: status, reason: "", fields: HTTPFields()), body: [], bodyIsTruncated: false)
    }
    private static let proxy: Proxy? = try? Proxy(parsing: "http://h:1")
    private static func viaProxy(_ error: ProxyError) -> [Failure] {
        proxy.map { [connecting(.proxy($0, error))] } ?? []
    }

    static let passing: [Failure] =
        [
            .lost(nil), .lost(.system(.connectionReset)), .silent(for: .seconds(3), misses: 3),
            unreachable(.connectionRefused), unreachable(.noSuchFile), unreachable(.accessDenied, .connectionRefused),
            connecting(.unresolvable(host: "h", .nameServiceBusy)),
            connecting(.lost(.system(.connectionReset), .upgrading)),
            connecting(.timedOut(.securing, after: .seconds(1), peer: nil)),
            connecting(.security(.endedDuringHandshake(peerHasAnswered: true))),
            connecting(.lost(.protection(TLSError.endedDuringHandshake(peerHasAnswered: false)), .securing)),
            connecting(.handshake(.closedBeforeResponse)), connecting(.handshake(.incompleteResponse)),
        ]
        + [408, 425, 429, 500, 502, 503, 504, 520, 599].map { connecting(.handshake(refused($0))) }
        + [502, 503, 504].flatMap { viaProxy(proxyRefused($0)) }
        + [1, 3, 4, 5, 6].flatMap { viaProxy(.failed(SOCKS5Reply(code: $0))) }
        + viaProxy(.closedBeforeAnswer) + viaProxy(.incompleteAnswer)
        + (proxy.map { [connecting(.proxyUnreachable($0, .unreachable([("h", .system(.connectionRefused))])))] } ?? [])
        + [1001, 1011, 1012, 1013, 1014].map { .closed(CloseFrame(code: CloseCode(rawValue: $0))) }

    static let final: [Failure] =
        [
            .violation(.invalidText), .closingTimedOut(after: .seconds(1)), .runTimedOut(after: .seconds(1)),
            .interrupted, .terminated, .hungUp, .quit, .gaveUp(after: 2, .lost(nil)), .input(.badDescriptor),
            .output(.brokenPipe),
            .badArgument(what: "", why: ""), .badInput(what: "", why: ""), .system(.noSuchFile),
            .listening(address: "", .addressInUse),
            unreachable(.accessDenied), connecting(.unreachable([("h", .missingZone)])),
            connecting(.noAddress(host: "h")),
            connecting(.unresolvable(host: "h", .unknownName)), connecting(.security(.clientCertificateRequired)),
            connecting(.security(.certificate(.selfSigned(subject: "", pin: nil)))),
            connecting(.handshake(.missingAccept)),
            connecting(.handshake(.notHTTP(preview: []))), connecting(.redirect(.tooMany(maximum: 1))),
            connecting(.compression(.doesNotMatch(ExtensionOffer(name: "x")))),
        ]
        + [200, 301, 400, 401, 403, 404, 407, 410, 426, 501, 505].map { connecting(.handshake(refused($0))) }
        + [401, 403, 407, 500, 501].flatMap { viaProxy(proxyRefused($0)) }
        + [2, 7, 8, 9].flatMap { viaProxy(.failed(SOCKS5Reply(code: $0))) }
        + viaProxy(.loginRefused(status: 1)) + viaProxy(.noAcceptableMethod(hasCredentials: true))
        + viaProxy(.notHTTP(preview: []))
        + (proxy.map { [connecting(.proxySecurity($0, .clientCertificateRequired))] } ?? [])
        + [1000, 1002, 1003, 1007, 1008, 1009, 1010, 3000, 4999].map {
            .closed(CloseFrame(code: CloseCode(rawValue: $0)))
        }
        + [.closed(CloseFrame(code: nil))]

    @Test("Temporary failures are retried", arguments: passing)
    func passes(failure: Failure) {
        #expect(failure.report.isWorthRetrying)
    }

    @Test("Permanent failures are final", arguments: final)
    func ends(failure: Failure) {
        #expect(!failure.report.isWorthRetrying)
    }

    @Test("The proxy in the tables is valid")
    func proxyIsValid() {
        #expect(Self.proxy != nil)
    }
}
