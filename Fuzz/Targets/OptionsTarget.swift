import CommandLine
import Conversation

@testable import Bench
@testable import Connect
@testable import Listen
@testable import UserInterface
@testable import WSCore
@testable import wsx

extension FuzzTarget {
    /// Command lines, with words separated by NUL.
    ///
    /// - A command line is accepted, or rejected with a one-line message that is safe to show.
    /// - The same holds for the resulting settings, unless they would read a file.
    /// - A server parses the resulting request of `connect` to exactly the same fields.
    static let options = FuzzTarget(name: "options") { input in
        let words = input.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(validating: $0, as: UTF8.self) }
        // The program rejects arguments that are not UTF-8 before it parses them.
        guard !words.contains(nil) else { return }
        do throws(UsageError) {
            switch try Invocation.program.parse(words.compactMap { $0 }) {
            case .connect(let arguments): checkConnect(arguments)
            case .listen(let arguments): checkListen(arguments)
            case .bench(let arguments): checkBench(arguments)
            case .merge(let arguments): expect(!arguments.paths.isEmpty, "there is nothing to merge")
            case .convert(let arguments): expect(!arguments.input.isEmpty, "there is nothing to convert")
            case .check(let arguments): expect(arguments.parallelCount > 0, "no case is played at a time")
            case .text(.help(let text)), .text(.longHelp(let text)), .text(.completionScript(let text)):
                expect(text.hasSuffix("\n"), "the text does not end its line")
            case .version, .completionTargets: break
            }
        } catch {
            expectOneSafeLine(error.message)
            expect(error.message.hasPrefix("wsx: "), "the message does not begin with the program's name")
        }
    }

    private static func checkConnect(_ arguments: ConnectArguments) {
        let (request, tls) = (arguments.client.request, arguments.client.tls)
        let (closeFrame, limits) = (arguments.client.closeFrame, arguments.client.limits)
        expect(isLegal(closeCode: closeFrame.closeCode), "\(closeFrame.closeCode) must not be sent")
        expect(closeFrame.closeReason.utf8.count <= 123, "the reason is too long")
        expect(arguments.client.network.connectTimeouts.whole > .zero, "a time is not positive")
        expect(limits.closeTimeout >= .zero, "a time is negative")
        expect(limits.maximumMessageBytes > 0 && limits.maximumFragments > 0, "a limit is not positive")
        expect(limits.fragmentBytes.map { $0 > 0 } ?? true, "the size of fragments is not positive")
        let secrets = [request.auth, request.bearer, tls.passphrase].compactMap { $0 } + request.cookies
        guard arguments.messages.file == nil, !namesFile(request.headers + secrets), tls.authorities == nil,
            tls.certificate == nil, tls.key == nil
        else { return }
        do throws(Failure) {
            checkRequest(try ConnectSettings(arguments).connector.request)
        } catch {
            expectOneSafeLine(error.message ?? "")
        }
    }

    private static func checkBench(_ arguments: BenchArguments) {
        expect(arguments.load.connections.count > 0 && arguments.load.pace.inFlight > 0, "there is nothing to send on")
        expect((arguments.loadMessages.sizeBytes ?? 1) > 0, "there is nothing to send")
        expect((arguments.load.messageCount ?? 1) > 0, "there is nothing to send")
        expect((arguments.load.duration ?? .seconds(1)) > .zero, "a time is not positive")
        expect(arguments.load.replies.timeout > .zero, "a time is not positive")
    }

    private static func checkListen(_ arguments: ListenArguments) {
        expect(
            arguments.limits.maximumMessageBytes > 0 && arguments.limits.maximumFragments > 0, "a limit is not positive"
        )
        let tls = arguments.tls
        let secrets = [tls.passphrase].compactMap { $0 } + arguments.access.credentials + arguments.access.tokens
        guard !namesFile(arguments.server.headers + secrets), tls.certificate == nil, tls.key == nil,
            tls.clientAuthorities == nil
        else { return }
        do throws(Failure) {
            _ = try ListenSettings(arguments)
        } catch {
            expectOneSafeLine(error.message ?? "")
        }
    }

    private static func namesFile(_ headers: [String]) -> Bool {
        headers.contains { $0.hasPrefix("@") }
    }

    private static func checkRequest(_ request: ClientRequest) {
        let bytes = request.head(key: "AAAAAAAAAAAAAAAAAAAAAA==")
        var parser = HTTPHeadParser(.request, limits: HeadLimits(maximumBytes: .max, maximumFields: .max))
        guard let byteCount = try? parser.receive(bytes.span.bytes), let head = parser.requestHead else {
            unexpected("the request is not HTTP: \(String(decoding: bytes, as: UTF8.self))")
        }
        expectEqual(byteCount, bytes.count, "the length of the request")
        expectEqual(head.target, request.url.requestTarget, "the request target")
        expectEqual(Array(head.fields.dropLast()), Array(request.fields), "the fields of the request")
        for line in ReportedHead.lines(ofSent: String(decoding: bytes, as: UTF8.self), without: SecretRecord()) {
            expectOneSafeLine(line)
        }
    }
}
