import Conversation
import Formats
import Testing

@testable import Connect
@testable import Peer
@testable import UserInterface
@testable import WSCore

/// Runs with application protocols and peers in memory.
@Suite struct ProtocolRunTests {
    /// A run with a Socket.IO server that sends each event back, and acknowledges those that ask for it.
    private func socketIO(
        confirms: Bool = true, _ change: (inout ConnectArguments) -> Void = { _ in }
    ) -> ConnectFixture {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("socket.io")
            change(&$0)
        }
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#)
            return peer
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text.hasPrefix("40"), confirms { return peer.send(#"40{"sid":"s"}"#) }
            guard text.hasPrefix("42"), let bracket = text.firstIndex(of: "[") else { return }
            let id = text[text.index(text.startIndex, offsetBy: 2)..<bracket]
            if !id.isEmpty { return peer.send("43\(id)[1]") }
            peer.send(text)
        }
        return fixture
    }

    private func graphQL(_ change: (inout ConnectArguments) -> Void = { _ in }) -> ConnectFixture {
        ConnectFixture {
            $0.protocols.choice = .named("graphql")
            change(&$0)
        }
    }

    // MARK: Pipes

    @Test("Lines wait for the login, and events are written as they would be typed")
    func lines() throws {
        let fixture = socketIO { $0.ending.count = 2 }
        fixture.input = "chat {\"x\": 1}\n/admin no\nchat hi\n"
        fixture.input = "chat {\"x\": 1}\nchat hi\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "chat {\"x\":1}\nchat \"hi\"\n")
        #expect(outcome.notices.isEmpty)
        #expect(outcome.peers[0].texts == ["40", #"42["chat",{"x":1}]"#, #"42["chat","hi"]"#])
    }

    @Test("Messages of the command line are lines")
    func operands() throws {
        let fixture = socketIO {
            $0.messages.texts = ["chat 1"]
            $0.ending.count = 1
        }
        #expect(try fixture.run().output == "chat 1\n")
    }

    @Test("--output raw writes payloads, and --pick picks from them")
    func formats() throws {
        let raw = socketIO {
            $0.format.output = .raw
            $0.ending.count = 1
        }
        raw.input = "chat {\"x\":1}\n"
        #expect(try raw.run().output == "{\"x\":1}")
        let picked = socketIO {
            $0.format.pick = try? JSONPath(".x")
            $0.ending.count = 1
        }
        picked.input = "chat {\"x\":1}\n"
        #expect(try picked.run().output == "1\n")
    }

    @Test("An event in JSON output has the payload as data, and an object with the rest")
    func events() throws {
        let fixture = socketIO {
            $0.format.output = .json
            $0.ending.count = 1
        }
        fixture.input = "chat {\"x\":1}\n"
        let output = try fixture.run().output
        #expect(output.contains(##""opcode":"text","bytes":7,"data":"{\"x\":1}""##))
        #expect(output.contains(##""protocol":{"name":"socket.io","role":"event","event":"chat"}"##))
        #expect(!output.contains("hidden"))
    }

    @Test("--until matches the line, not the messages of the protocol")
    func until() throws {
        let fixture = socketIO { $0.ending.until = ["sid", "^chat 2$"] }
        fixture.input = "chat 1\nchat 2\nchat 3\n"
        #expect(try fixture.run().output == "chat 1\nchat 2\n")
    }

    @Test("An invalid line ends the run with its number")
    func invalidLine() throws {
        let fixture = socketIO()
        fixture.input = "chat 1\n[]\n"
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("input message 2: ") == true)
    }

    @Test("A message that is not understood is written unchanged, with a notice")
    func unknownMessage() throws {
        let fixture = socketIO { $0.ending.count = 1 }
        fixture.input = nil
        fixture.didReceive = { peer, event in
            if case .text("40") = event { peer.send("nonsense") }
        }
        let outcome = try fixture.run()
        #expect(outcome.output == "nonsense\n")
        #expect(outcome.notices.contains("not an Engine.IO packet"))
    }

    @Test("A message with several parts that are not understood is written once")
    func unknownParts() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("signalr")
            $0.ending.count = 1
        }
        fixture.input = nil
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event, text.contains("protocol") else { return }
            peer.send("{}\u{1E}")
            peer.send("x\u{1E}y\u{1E}z\u{1E}")
        }
        let outcome = try fixture.run()
        #expect(outcome.output == "x\u{1E}y\u{1E}z\u{1E}\n")
        #expect(outcome.notices.split(separator: "\n").count { $0.contains("shown unchanged") } == 1)
    }

    @Test("-v shows hidden events and the messages of the protocol")
    func hidden() throws {
        let fixture = socketIO {
            $0.transcript.verbosity = 1
            $0.ending.count = 1
        }
        fixture.input = "chat 1\n"
        let notices = try fixture.run().notices
        #expect(notices.contains("Hidden: open {") && notices.contains(" 40\n"))
    }

    @Test("A recording contains the messages of the protocol")
    func recording() throws {
        let file = try TemporaryFile(at: "/tmp/wsx-test-", contents: [])
        defer { file.remove() }
        let fixture = socketIO {
            $0.transcript.recordPath = file.path
            $0.ending.count = 1
        }
        fixture.input = "chat 1\n"
        _ = try fixture.run()
        let text = String(decoding: try File.readRegular(file.path, maximumBytes: 1 << 20), as: UTF8.self)
        #expect(text.contains(##""direction":"out","opcode":"text","bytes":2,"data":"40""##))
        #expect(text.contains(##""data":"42[\"chat\",1]""##) && !text.contains(##""data":"chat 1""##))
    }

    // MARK: Requests

    @Test("Requests wait for the reply with their key, and other events do not count")
    func requests() throws {
        let fixture = socketIO {
            $0.replies.sendsRequests = true
            $0.format.output = .json
        }
        fixture.didReceive = { [serve = fixture.didReceive] peer, event in
            if case .text(let text) = event, text.hasPrefix("42") { peer.send(#"42["other"]"#) }
            serve(peer, event)
        }
        fixture.input = "chat 1\nchat 2\n"
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts == ["40", #"420["chat",1]"#, #"421["chat",2]"#])
        let replies = outcome.output.split(separator: "\n").filter { $0.contains(#""role":"reply""#) }
        #expect(replies.count == 2)
        #expect(replies.first?.contains(#""request":1"#) == true && replies.last?.contains(#""request":2"#) == true)
    }

    @Test("--one waits for the reply to each message")
    func one() throws {
        let fixture = socketIO {
            $0.ending.isOne = true
            $0.messages.texts = ["chat 1", "chat 2"]
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "1\n1\n")
    }

    @Test("An error reply is reported, and --fail makes the run fail")
    func errorReply() throws {
        let fixture = graphQL {
            $0.ending.isOne = true
            $0.replies.failsOnErrorReply = true
            $0.messages.texts = ["{ a }"]
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text.contains("connection_init") { return peer.send(#"{"type":"connection_ack"}"#) }
            peer.send(#"{"id":"1","type":"error","payload":[{"message":"no a"}]}"#)
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .unmet)
        #expect(outcome.output == #"error [{"message":"no a"}]"# + "\n")
        #expect(outcome.notices.contains(#"request 1: error: [{"message":"no a"}]"#))
    }

    @Test("--fail reports errors in the results of a GraphQL subscription, too")
    func errorInSubscription() throws {
        let fixture = graphQL {
            $0.replies.failsOnErrorReply = true
            $0.format.output = .json
            $0.messages.texts = ["subscription { fail }"]
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text.contains("connection_init") { return peer.send(#"{"type":"connection_ack"}"#) }
            peer.send(#"{"id":"1","type":"next","payload":{"errors":[{"message":"no"}]}}"#)
            peer.close(1000)
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .unmet)
        #expect(outcome.output.contains(#""role":"event","error":true"#))
        #expect(outcome.notices.contains(#"error event: {"errors":[{"message":"no"}]}"#))
    }

    @Test(
        "With --one or --request, a line without an id is an error in a protocol of a file, instead of having no reply",
        arguments: [true, false])
    func lineWithoutID(isOne: Bool) throws {
        let definition = try TemporaryFile(at: "/tmp/wsx-test-", contents: Array(#"{"name":"x","id":"/id"}"#.utf8))
        defer { definition.remove() }
        let fixture = ConnectFixture {
            $0.protocols.choice = .file(definition.path)
            $0.ending.isOne = isOne
            $0.replies.sendsRequests = !isOne
            $0.messages.texts = ["not json"]
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.failure?.message?.hasPrefix("message 1: ") == true)
        #expect(outcome.failure?.message?.contains("so no reply can be matched") == true)
        #expect(outcome.peers[0].texts.isEmpty)
    }

    @Test("At the prompt, a line of a protocol of a file needs no id")
    func lineWithoutIDAtPrompt() throws {
        let definition = try TemporaryFile(at: "/tmp/wsx-test-", contents: Array(#"{"name":"x","id":"/id"}"#.utf8))
        defer { definition.remove() }
        let fixture = ConnectFixture { $0.protocols.choice = .file(definition.path) }
        let outcome = try fixture.run(atPrompt: [.read("Connected"), .type("hello"), .read("→ hello"), .leave])
        #expect(outcome.peers[0].texts == ["hello"])
    }

    // MARK: Logins and ends

    @Test("A refused login ends the run with the words of the server, and without another attempt")
    func refused() throws {
        let fixture = socketIO(confirms: false) { $0.staying.reconnection = .always }
        fixture.didReceive = { peer, event in
            if case .text = event { peer.send(#"44{"message":"wrong token"}"#) }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .refused)
        #expect(outcome.peers.count == 1)
        #expect(
            outcome.failure?.message
                == #"socket.io: the server refused the namespace /: "wrong token"; check the credentials "#
                + "(wsx help protocol socket.io)"
        )
    }

    @Test("A refused login is the only error, without the requests that were never sent")
    func refusedLoginWithRequest() throws {
        let fixture = socketIO(confirms: false) {
            $0.ending.isOne = true
            $0.messages.texts = ["chat 1"]
        }
        fixture.didReceive = { peer, event in
            if case .text = event { peer.send(#"44{"message":"wrong token"}"#) }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .refused)
        #expect(outcome.notices.isEmpty)
    }

    @Test("A close before the login is complete is a refusal, and the protocol explains its code")
    func closedBeforeLogin() throws {
        let fixture = graphQL()
        fixture.didReceive = { peer, event in
            if case .text = event { peer.close(4403, "Forbidden") }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .refused)
        #expect(
            outcome.failure?.message
                == "graphql: the server closed the connection before the login was complete: "
                + #"4403 (forbidden: the server refuses the connection) "Forbidden""#)
    }

    @Test("A server that does not confirm the login in time is reported")
    func silentServer() throws {
        let fixture = graphQL { $0.client.network.connectTimeouts.whole = .milliseconds(50) }
        fixture.input = nil
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.failure?.message?.hasPrefix("graphql: the server did not confirm the login within") == true)
    }

    @Test("After a loss, the session logs in again, and the unanswered request is sent again")
    func reconnect() throws {
        let fixture = socketIO {
            $0.replies.sendsRequests = true
            $0.staying.reconnection = .always
        }
        var isLost = false
        fixture.didReceive = { [serve = fixture.didReceive] peer, event in
            if case .text(let text) = event, text.hasPrefix("42"), !isLost {
                isLost = true
                return peer.vanish()
            }
            serve(peer, event)
        }
        fixture.input = "chat 1\n"
        fixture.skipsWaits = true
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == "1\n")
        #expect(outcome.peers.map(\.texts).last == ["40", #"421["chat",1]"#])
    }

    @Test("A line whose reply has arrived is not sent again, although no pong has")
    func repliedLine() throws {
        let fixture = graphQL { $0.staying.reconnection = .always }
        fixture.makePeer = { _, loop in FakePeer(on: loop, answersPings: false) }
        fixture.reconnectsAtOnce = true
        fixture.input = "mutation { add }\n"
        var isLost = false
        var timer: Timer?
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text.contains("connection_init") { return peer.send(#"{"type":"connection_ack"}"#) }
            peer.send(#"{"type":"next","id":"1","payload":{"data":1}}"#)
            isLost = true
            timer = Timer(on: peer.loop) { peer.vanish() }
            timer?.start(after: .milliseconds(1))
        }
        let outcome = try fixture.run()
        timer?.stop()
        #expect(isLost && outcome.failure == nil)
        #expect(outcome.output == "{\"data\":1}\n")
        #expect(outcome.peers.map { $0.texts.count } == [2, 1])
    }

    @Test("At the prompt, a pong confirms a line without a reply, and a line without either is sent again")
    func optionalReply() throws {
        let fixture = socketIO { $0.staying.reconnection = .always }
        var texts: [String] = []
        fixture.didReceive = { [serve = fixture.didReceive] peer, event in
            guard case .text(let text) = event, text.hasPrefix("42") else {
                // The pong confirms the first line, which has no reply.
                if event == .ping, texts.count == 1 { peer.vanish() }
                return serve(peer, event)
            }
            texts.append(text)
            switch texts.count {
            case 1: break
            case 2: peer.vanish()
            default: serve(peer, event)
            }
        }
        fixture.skipsWaits = true
        let outcome = try fixture.run(atPrompt: [
            .type("chat 1"), .read("reconnecting"), .read("Connected"), .type("chat 2"), .read("reconnecting"),
            .read("Resending"), .type("/quit"),
        ])
        #expect(outcome.failure == nil)
        #expect(texts.map { String($0.drop { $0 != "[" }) } == [#"["chat",1]"#, #"["chat",2]"#, #"["chat",2]"#])
    }

    // MARK: Detection

    @Test("--protocol auto passes lines unchanged until the first message reveals the protocol")
    func automatic() throws {
        let fixture = socketIO {
            $0.protocols.choice = .automatic
            $0.ending.count = 1
        }
        fixture.input = nil
        var peer: FakePeer?
        fixture.didReceive = { [serve = fixture.didReceive] sender, event in
            peer = sender
            serve(sender, event)
            if case .text("40") = event { sender.send(#"42["n",1]"#) }
        }
        let outcome = try fixture.run()
        #expect(outcome.output == "n 1\n")
        #expect(outcome.notices.contains("wsx: detected the protocol socket.io"))
        #expect(peer?.texts.first == "40")
    }

    @Test("--protocol auto changes nothing for a server without a protocol")
    func noProtocol() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .automatic
            $0.ending.count = 1
        }
        fixture.didReceive = { peer, event in
            if case .text(let text) = event { peer.send(text) }
        }
        fixture.input = "hello\n"
        let outcome = try fixture.run()
        #expect(outcome.output == "hello\n")
        #expect(
            outcome.notices == "wsx: --protocol auto detected no protocol; messages were sent and shown unchanged\n")
    }

    // MARK: Loose ends

    @Test(
        "A line for a subscription that the server never confirms, or refuses, makes the run fail",
        arguments: [
            ("actioncable", "subscribe Chat\nChat speak\n", #"{"type":"welcome"}"#, nil),
            (
                "actioncable", "subscribe Chat\nChat speak\n", #"{"type":"welcome"}"#,
                #"{"type":"reject_subscription","identifier":"{\"channel\":\"Chat\"}"}"#
            ),
            ("phoenix", "join room:a\nroom:a new_msg\n", nil, nil),
            (
                "phoenix", "join room:a\nroom:a new_msg\n", nil,
                #"["1","1","room:a","phx_reply",{"status":"error","response":{}}]"#
            ),
            ("socket.io", "/admin a\n", #"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#, nil),
            (
                "socket.io", "/admin a\n", #"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#,
                #"44/admin,{"message":"no"}"#
            ),
        ])
    func unsentLine(name: String, lines: String, greeting: String?, refusal: String?) throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named(name)
            $0.ending.linger = try? Linger.parse("100ms")
        }
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            if let greeting { peer.send(greeting) }
            return peer
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text == "40" { return peer.send(#"40{"sid":"s"}"#) }
            let isSubscription = ["40/admin", "subscribe", "phx_join"].contains { text.contains($0) }
            if isSubscription, let refusal { peer.send(refusal) }
        }
        fixture.input = lines
        let outcome = try fixture.run()
        #expect(outcome.status == (refusal == nil ? .timedOut : .unmet))
        let words =
            "1 line was not sent: the server \(refusal == nil ? "did not confirm" : "refused or ended") the subscription"
        #expect(outcome.failure?.message?.hasPrefix("\(name): \(words)") == true)
    }

    @Test(
        "A subscription that is confirmed while the connection is closing comes too late for the lines that wait for it"
    )
    func confirmedTooLate() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("phoenix")
            $0.ending.linger = .idle(.milliseconds(1))
        }
        fixture.input = "join room:a\nroom:a new_msg\n"
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event, text.contains("phx_join") else { return }
            peer.lastWords = #"["1","1","room:a","phx_reply",{"status":"ok","response":{}}]"#
        }
        let outcome = try fixture.run()
        #expect(outcome.peers[0].texts.count { $0.contains("new_msg") } == 0)
        #expect(outcome.status == .timedOut)
        #expect(outcome.failure?.message?.hasPrefix("phoenix: 1 line was not sent: ") == true)
    }

    @Test("A run that fails while a line waits for its subscription reports both, with the remedy for the failure")
    func failureWhileWaiting() throws {
        let fixture = ConnectFixture { $0.protocols.choice = .named("phoenix") }
        fixture.input = "join room:a\nroom:a new_msg\n"
        fixture.didReceive = { peer, event in
            if case .text(let text) = event, text.contains("phx_join") { peer.close(1011) }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .closed)
        #expect(
            outcome.notices.contains("phoenix: 1 line was not sent: the server had not confirmed the subscription\n"))
    }

    @Test("With --one, a leave does not overtake lines that wait, and the run does not wait for a hidden reply")
    func leaveAfterWaitingLines() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("phoenix")
            $0.ending.isOne = true
            $0.messages.texts = ["join room:a", "room:a new_msg", "leave room:a"]
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            let ref = text.split(separator: "\"")[3]
            peer.send(#"["1","\#(ref)","room:a","phx_reply",{"status":"ok","response":{}}]"#)
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.output == String(repeating: "room:a ok {}\n", count: 3))
        #expect(outcome.peers[0].texts.map { $0.split(separator: "\"")[7] } == ["phx_join", "new_msg", "phx_leave"])
    }

    @Test("A line that was sent on a lost connection, and waits on the next one, may have reached the server")
    func uncertainLine() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("phoenix")
            $0.staying.reconnection = .always
            $0.ending.linger = .idle(.milliseconds(1))
        }
        fixture.reconnectsAtOnce = true
        fixture.input = "join room:a\nroom:a new_msg\n"
        fixture.makePeer = { number, loop in FakePeer(on: loop, answersPings: number > 0) }
        var isFirst = true
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event, isFirst else { return }
            if text.contains("phx_join") {
                peer.send(#"["1","1","room:a","phx_reply",{"status":"ok","response":{}}]"#)
            } else {
                isFirst = false
                peer.vanish()
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.peers.map { $0.texts.count { $0.contains("new_msg") } } == [1, 0])
        #expect(outcome.status == .timedOut)
        #expect(
            outcome.failure?.message?.hasPrefix("phoenix: 1 line may not have reached the server: the server did not")
                == true)
    }

    @Test(
        "More than 1 MiB of lines for a subscription that is never confirmed ends the run, although its input is open")
    func neverConfirmed() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("phoenix")
            $0.client.network.connectTimeouts.whole = .milliseconds(1)
        }
        fixture.opensAtOnce = true
        fixture.input = nil
        let filler = String(repeating: "x", count: 1000)
        let lines = ["join a"] + (0..<1200).map { #"a n "\#($0) \#(filler)""# }
        weak var run: ConnectRun?
        fixture.didStart = { run = $0 }
        var timer: Timer?
        fixture.makePeer = { _, loop in
            timer = Timer(on: loop) {
                for line in lines { run?.received(input: .message(.text), Array(line.utf8).span.bytes, client: nil) }
            }
            timer?.start(after: .milliseconds(1))
            return FakePeer(on: loop)
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.failure?.message?.hasPrefix("phoenix: 1200 lines were not sent: the server did not") == true)
        withExtendedLifetime(timer) {}
    }

    @Test(
        "A line that waits for a subscription when the connection is lost is sent once on the next one",
        arguments: [(true, true), (true, false), (false, true), (false, false)])
    func waitingLineAndReconnect(areOperands: Bool, answersPings: Bool) throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("actioncable")
            $0.staying.reconnection = .always
            if areOperands { $0.messages.texts = ["subscribe Chat", "Chat speak"] }
        }
        fixture.reconnectsAtOnce = true
        if !areOperands { fixture.input = "subscribe Chat\nChat speak\n" }
        var loss: Timer?
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop, answersPings: answersPings)
            peer.send(#"{"type":"welcome"}"#)
            return peer
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text.contains("subscribe"), loss == nil {
                // Later, so that a ping can be answered before.
                loss = Timer(on: peer.loop) { peer.vanish() }
                loss?.start(after: .milliseconds(50))
            } else if text.contains("subscribe") {
                peer.send(#"{"type":"confirm_subscription","identifier":"{\"channel\":\"Chat\"}"}"#)
            } else if text.contains("speak") {
                peer.close(1000)
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map { $0.texts.count { $0.contains("speak") } } == [0, 1])
    }

    @Test("A line that was dropped on a lost connection and is sent on the next one is not missing")
    func droppedLineAndReconnect() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("socket.io")
            $0.staying.reconnection = .always
            $0.messages.texts = ["/admin a"]
        }
        fixture.reconnectsAtOnce = true
        var isFirst = true
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(#"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#)
            return peer
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text == "40" { return peer.send(#"40{"sid":"s"}"#) }
            if text.hasPrefix("42") { return peer.send("41") }
            guard text == "40/admin," else { return }
            if isFirst {
                isFirst = false
                peer.send("41/admin,")
                peer.vanish()
            } else {
                peer.send(#"40/admin,{"sid":"t"}"#)
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts).last == ["40", "40/admin,", #"42/admin,["a"]"#])
    }

    @Test("A line that cannot be sent on any connection makes the run fail")
    func neverSentLine() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("phoenix")
            $0.staying.reconnection = .always
            $0.messages.texts = ["join room:a", "room:a new_msg"]
        }
        fixture.reconnectsAtOnce = true
        var isFirst = true
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event, text.contains("phx_join"), isFirst else { return }
            isFirst = false
            peer.send(#"["1",null,"room:a","phx_close",{}]"#)
            peer.vanish()
        }
        fixture.makePeer = { number, loop in
            let peer = FakePeer(on: loop)
            if number > 0 { peer.close(1000) }
            return peer
        }
        #expect(try fixture.run().status == .unmet)
    }

    @Test(
        "--protocol auto sends all lines after the login, even if the first message comes with the response",
        arguments: [false, true], [false, true])
    func detectedAtOnce(isOperand: Bool, reconnects: Bool) throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .automatic
            if isOperand { $0.messages.texts = ["chat 1"] }
            if reconnects { $0.staying.reconnection = .always }
        }
        if !isOperand { fixture.input = "chat 1\n" }
        let message = #"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#
        fixture.firstBytes = [0x81, UInt8(message.utf8.count)] + Array(message.utf8)
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text == "40" { peer.send(#"40{"sid":"s"}"#) }
            if text.hasPrefix("42") { peer.send("41") }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map(\.texts) == [["40", #"42["chat",1]"#]])
    }

    @Test("A kept line that is invalid makes the run fail, instead of being forgotten")
    func invalidKeptLine() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("phoenix")
            $0.staying.reconnection = .always
        }
        // Kept, because there is no connection yet.
        fixture.didStart = { $0.received(input: .message(.text), Array("bogus".utf8).span.bytes, client: nil) }
        let outcome = try fixture.run()
        #expect(outcome.status == .usage)
        #expect(outcome.notices.contains("a line was not sent: "))
        #expect(
            outcome.failure?.message == "phoenix: 1 line was not sent: not valid on the new connection")
    }

    @Test(
        "More than 1 MiB of lines for a subscription that the server has not confirmed yet is sent in order",
        arguments: [false, true])
    func manyWaitingLines(reconnects: Bool) throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("phoenix")
            if reconnects { $0.staying.reconnection = .always }
        }
        fixture.input = nil
        let count = 3000
        let filler = String(repeating: "x", count: 1000)
        func enter(_ run: ConnectRun) {
            for line in ["join a"] + (0..<count).map({ #"a n "\#($0) \#(filler)""# }) {
                run.received(input: .message(.text), Array(line.utf8).span.bytes, client: nil)
            }
        }
        weak var run: ConnectRun?
        fixture.didStart = {
            run = $0
            // With --reconnect, the lines are kept until there is a connection.
            if reconnects { enter($0) }
        }
        var timer: Timer?
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            timer = Timer(on: loop) {
                if !reconnects, let run { enter(run) }
                peer.send(#"["1","1","a","phx_reply",{"status":"ok","response":{}}]"#)
            }
            timer?.start(after: .milliseconds(20))
            return peer
        }
        fixture.didReceive = { peer, event in
            if case .text(let text) = event, text.contains("\"\(count - 1) ") { peer.close(1000) }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        let numbers = outcome.peers.flatMap(\.texts).compactMap { text -> Int? in
            // ["1","2","a","n","0 xxx"]
            text.split(separator: ",").last.flatMap { Int($0.dropFirst().prefix { $0 != " " }) }
        }
        #expect(numbers == Array(0..<count))
        withExtendedLifetime(timer) {}
    }

    @Test("A subscription that is never confirmed does not cause lines of others to be sent twice")
    func confirmedLines() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("actioncable")
            $0.staying.reconnection = .always
            $0.ending.linger = try? Linger.parse("60s")
        }
        fixture.reconnectsAtOnce = true
        fixture.input = "subscribe A\nsubscribe B\nA one\nB two\n"
        var connectionCount = 0
        fixture.makePeer = { number, loop in
            connectionCount = number + 1
            let peer = FakePeer(on: loop)
            peer.send(#"{"type":"welcome"}"#)
            return peer
        }
        func confirm(_ channel: String, _ peer: FakePeer) {
            peer.send(#"{"type":"confirm_subscription","identifier":"{\"channel\":\"\#(channel)\"}"}"#)
        }
        var loss: Timer?
        fixture.didReceive = { peer, event in
            switch event {
            case .text(let text) where text.contains("subscribe"):
                if text.contains(#"\"A\""#) { confirm("A", peer) } else if connectionCount == 2 { confirm("B", peer) }
            case .text(let text) where text.contains("two"): peer.close(1000)
            case .ping where connectionCount == 1 && peer.texts.contains { $0.contains("one") }:
                // After the pong.
                loss = Timer(on: peer.loop) { peer.vanish() }
                loss?.start(after: .milliseconds(50))
            default: break
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.map { $0.texts.count { $0.contains("one") } } == [1, 0])
        #expect(outcome.peers.map { $0.texts.count { $0.contains("two") } } == [0, 1])
        withExtendedLifetime(loss) {}
    }

    @Test("--protocol auto waits for the login before it waits for replies after the end of the input")
    func slowLogin() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .automatic
            $0.ending.linger = try? Linger.parse("10ms")
        }
        var greeting: Timer?
        var confirmation: Timer?
        // After the input has begun.
        fixture.makePeer = { [unowned fixture] _, loop in
            let peer = FakePeer(on: loop)
            greeting = Timer(on: loop) {
                peer.send(#"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#)
                confirmation = Timer(on: loop) {
                    fixture.write("chat 1\n")
                    fixture.endInput()
                    confirmation = Timer(on: loop) { peer.send(#"40{"sid":"s"}"#) }
                    confirmation?.start(after: .milliseconds(200))
                }
                confirmation?.start(after: .milliseconds(20))
            }
            greeting?.start(after: .milliseconds(20))
            return peer
        }
        fixture.input = nil
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts == ["40", #"42["chat",1]"#])
        withExtendedLifetime((greeting, confirmation)) {}
    }

    @Test("Lines that wait for the login are reported as such")
    func unfinishedLogin() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .automatic
            $0.ending.timeout = .milliseconds(300)
        }
        fixture.input = nil
        var greeting: Timer?
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            greeting = Timer(on: loop) { peer.send(#"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#) }
            greeting?.start(after: .milliseconds(20))
            return peer
        }
        fixture.didReceive = { [unowned fixture] _, event in
            if case .text("40") = event { fixture.write("chat 1\n") }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .timedOut)
        #expect(outcome.notices.contains("socket.io: 1 line was not sent: the server did not confirm the login\n"))
        withExtendedLifetime(greeting) {}
    }

    @Test("An error of JSON-RPC without an id is the reply to some call, so only --fail makes the run fail")
    func errorWithoutID() throws {
        for fails in [false, true] {
            let fixture = ConnectFixture {
                $0.protocols.choice = .named("json-rpc")
                $0.replies.failsOnErrorReply = fails
                $0.ending.count = 1
            }
            fixture.input = "{\"method\":1}\n"
            fixture.didReceive = { peer, event in
                if case .text = event { peer.send(#"{"id":null,"error":{"code":-32600}}"#) }
            }
            let outcome = try fixture.run()
            #expect(outcome.output == "error {\"code\":-32600}\n")
            #expect(outcome.notices.contains(#"error reply: {"code":-32600}"#))
            #expect(outcome.status == (fails ? .unmet : .success))
        }
    }

    @Test("--protocol auto sends lines that waited for the login with --reconnect, too")
    func waitingForLogin() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .automatic
            $0.staying.reconnection = .always
        }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(#"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#)
            return peer
        }
        var confirmation: Timer?
        fixture.didReceive = { [unowned fixture] peer, event in
            guard case .text(let text) = event else { return }
            if text == "40" {
                // The input is read before the login is complete.
                fixture.write("chat 1\n")
                confirmation = Timer(on: peer.loop) { peer.send(#"40{"sid":"s"}"#) }
                confirmation?.start(after: .milliseconds(50))
            }
            if text.hasPrefix("42") { peer.send("41") }
        }
        #expect(try fixture.run().failure == nil)
    }

    @Test(
        "A refused subscription makes the run fail, in each protocol",
        arguments: [
            (
                "actioncable", "subscribe Chat", #"{"type":"welcome"}"#,
                #"{"type":"reject_subscription","identifier":"{\"channel\":\"Chat\"}"}"#
            ),
            ("phoenix", "join room:a", nil, #"["1","1","room:a","phx_reply",{"status":"error","response":{}}]"#),
            (
                "socket.io", "/admin", #"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#,
                #"44/admin,{"message":"no"}"#
            ),
            ("graphql", "subscription { a }", nil, #"{"id":"1","type":"error","payload":[{"message":"no"}]}"#),
            ("stomp", "SUBSCRIBE /a", nil, "ERROR\nmessage:no\nreceipt-id:1\n\n\0"),
        ])
    func refusedSubscription(name: String, line: String, greeting: String?, refusal: String) throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named(name)
            $0.staying.reconnection = .always
            $0.messages.texts = [line]
        }
        fixture.reconnectsAtOnce = true
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            if let greeting { peer.send(greeting) }
            return peer
        }
        var isRefused = false
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text == "40" { return peer.send(#"40{"sid":"s"}"#) }
            if text.contains("connection_init") { return peer.send(#"{"type":"connection_ack"}"#) }
            if text.hasPrefix("CONNECT") {
                peer.send("CONNECTED\nversion:1.2\n\n\0")
                if isRefused { peer.close(1000) }
                return
            }
            let isSubscription = ["40/admin", "subscri", "phx_join", "SUBSCRIBE"].contains { text.contains($0) }
            guard isSubscription else { return }
            isRefused = true
            peer.send(refusal)
            // STOMP: the client leaves and connects again.
            if name == "socket.io" { peer.send("41") } else if name != "stomp" { peer.close(1000) }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .unmet)
        #expect(outcome.failure?.message == "\(name): the server reported 1 error")
    }

    @Test(
        "The end of a Socket.IO session is a normal end, like a close frame, unless a reply is missing",
        arguments: ["41", "1"], [true, false])
    func endOfSession(packet: String, isAnswered: Bool) throws {
        let fixture = socketIO { $0.ending.isOne = true }
        // The end of the input is not known when the reply arrives.
        fixture.input = nil
        fixture.didReceive = { [serve = fixture.didReceive] peer, event in
            guard case .text(let text) = event, text.hasPrefix("420") else { return serve(peer, event) }
            if isAnswered { serve(peer, event) }
            peer.send(packet)
        }
        fixture.didStart = { [unowned fixture] _ in fixture.write("chat 1\n") }
        let outcome = try fixture.run()
        #expect(outcome.status == (isAnswered ? .success : .unmet))
    }

    @Test(
        "A graceful restart of the server does not end a run with --reconnect silently",
        arguments: ["socket.io", "signalr"], [true, false])
    func gracefulRestart(name: String, reconnects: Bool) throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named(name)
            if reconnects { $0.staying.reconnection = .always }
        }
        fixture.reconnectsAtOnce = true
        fixture.input = nil
        var isFirst = true
        fixture.makePeer = { number, loop in
            isFirst = number == 0
            let peer = FakePeer(on: loop)
            if name == "socket.io" { peer.send(#"0{"sid":"s","pingInterval":25000,"pingTimeout":20000}"#) }
            return peer
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if name == "socket.io", text == "40" {
                peer.send(#"40{"sid":"s"}"#)
                if !isFirst { peer.send("41") }
                peer.close(1000)
            } else if text.contains("protocol") {
                peer.send("{}\u{1E}")
                peer.send(isFirst ? "{\"type\":7,\"allowReconnect\":true}\u{1E}" : "{\"type\":7}\u{1E}")
                peer.close(1000)
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.peers.count == (reconnects ? 2 : 1))
    }

    @Test("While further replies may arrive, the end of a Socket.IO session is a normal end", arguments: ["41", "1"])
    func endOfSessionAfterInput(packet: String) throws {
        let fixture = socketIO { $0.ending.linger = try? Linger.parse("60") }
        fixture.didReceive = { [serve = fixture.didReceive] peer, event in
            serve(peer, event)
            if case .text(let text) = event, text.hasPrefix("42") { peer.send(packet) }
        }
        fixture.input = "chat 1\n"
        #expect(try fixture.run().failure == nil)
    }

    @Test("A STOMP frame that is incomplete at the end of the connection is reported")
    func incompleteFrame() throws {
        let fixture = ConnectFixture { $0.protocols.choice = .named("stomp") }
        fixture.input = nil
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event, text.hasPrefix("CONNECT") else { return }
            peer.send("CONNECTED\nversion:1.2\n\n\0")
            peer.send("MESSAGE\ndestination:/a\n\nhel")
            peer.close(1000)
        }
        let outcome = try fixture.run()
        #expect(outcome.failure == nil)
        #expect(outcome.notices.contains("wsx: the connection ended within a STOMP frame (27 bytes)\n"))
    }

    @Test("An ERROR frame of STOMP is reported once, by the failure of the run")
    func errorFrame() throws {
        let fixture = ConnectFixture { $0.protocols.choice = .named("stomp") }
        fixture.input = "SUBSCRIBE /a\n"
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text.hasPrefix("CONNECT") { return peer.send("CONNECTED\nversion:1.2\n\n\0") }
            if text.hasPrefix("SUBSCRIBE") { peer.send("ERROR\nmessage:no\nreceipt-id:1\n\n\0") }
        }
        let outcome = try fixture.run()
        #expect(outcome.status == .unmet)
        #expect(outcome.failure?.message == #"stomp: the server reported an error for "/a": "no""#)
        #expect(!outcome.notices.contains("the server refused"))
    }

    @Test("An error reply is reported even if the server ends the session in the same message")
    func errorAndEnd() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("signalr")
            $0.replies.sendsRequests = true
        }
        fixture.input = "M 1\n"
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event else { return }
            if text.contains("protocol") { return peer.send("{}\u{1E}") }
            if text.contains("target") {
                peer.send(
                    #"{"type":3,"invocationId":"1","error":"X failed"}"# + "\u{1E}"
                        + #"{"type":7,"error":"bye"}"# + "\u{1E}")
            }
        }
        let outcome = try fixture.run()
        #expect(outcome.notices.contains(#"request 1: error: "X failed""#))
        #expect(outcome.failure?.message?.contains("bye") == true)
    }

    @Test("The good messages of a batch with a bad one are written, and then the batch, with a notice")
    func partlyBadBatch() throws {
        let fixture = ConnectFixture {
            $0.protocols.choice = .named("json-rpc")
            $0.ending.count = 2
        }
        fixture.input = nil
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(#"[{"method":"a"},{}]"#)
            return peer
        }
        let outcome = try fixture.run()
        #expect(outcome.output == "a\n" + #"[{"method":"a"},{}]"# + "\n")
        #expect(outcome.notices.contains("a batch with an element that is not a message of JSON-RPC"))
    }

    // MARK: The prompt

    @Test(
        "At the prompt, a line that waits for a subscription is shown as waiting, and it is reported if it is dropped")
    func waitingLineAtPrompt() throws {
        let fixture = ConnectFixture { $0.protocols.choice = .named("actioncable") }
        fixture.makePeer = { _, loop in
            let peer = FakePeer(on: loop)
            peer.send(#"{"type":"welcome"}"#)
            return peer
        }
        fixture.didReceive = { peer, event in
            guard case .text(let text) = event, text.contains("Refused"), text.contains("subscribe") else { return }
            peer.send(#"{"type":"reject_subscription","identifier":"{\"channel\":\"Refused\"}"}"#)
        }
        _ = try fixture.run(atPrompt: [
            .read("Connected"), .type("subscribe Chat"), .type("Chat speak"), .read("… Chat speak"), .type("/info"),
            .read("waiting      1 message"), .type("/reconnect"), .read("1 line was not sent: "), .read("Connected"),
            .leave,
        ])
        #expect(!fixture.editor.shown.contains("→ Chat speak"))
    }

    @Test("The prompt sends lines that waited for the login, and reports invalid lines")
    func prompt() throws {
        let fixture = socketIO()
        let outcome = try fixture.run(atPrompt: [
            .read("Connected"), .type("chat 1"), .read("#1 → chat 1"), .type("[]"), .read("the line was not sent: "),
            .leave,
        ])
        #expect(outcome.failure == nil)
        #expect(outcome.peers[0].texts == ["40", #"420["chat",1]"#])
    }
}
