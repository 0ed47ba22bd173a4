import Formats
import WSCore

@testable import Conversation

extension FuzzTarget {
    /// The session of each application protocol whose messages are whole. The first byte of a line tells what happens;
    /// the rest is its text:
    ///
    ///     o   a connection opens, with this subprotocol
    ///     t   a user types the line;  T  and waits for the reply
    ///     b   a binary message is received
    ///     w   time passes until the next deadline
    ///
    /// Any other line is a received text.
    ///
    /// - Sent texts and text events are valid UTF-8, and reasons are one line that is safe to show.
    /// - The payload of an event is JSON.
    /// - After a deadline has passed, the next one is later.
    /// - An event as shown is one line.
    static let protocols = ApplicationProtocol.all.filter { !streamProtocols.contains($0.name) }.map { found in
        FuzzTarget(name: found.name.split(separator: ".").joined()) { input in
            do throws(ProtocolParameterError) {
                check(try found.session(ProtocolParameters()), input, carriesJSON: true)
            } catch {
                unexpected("\(error)")
            }
        }
    }

    /// A user-defined protocol: the file up to a line that consists of `---`, and then lines for its session.
    ///
    /// - The error for an invalid file is one line that is safe to show, and its position is in the file.
    static let declarativeProtocols = FuzzTarget(name: "declarative-protocols") { input in
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let end = lines.firstIndex { $0.elementsEqual("---".utf8) } ?? lines.count
        let file = Array(lines[..<end].joined(separator: [UInt8(ascii: "\n")]))
        do throws(DeclarativeProtocolError) {
            let definition = try DeclarativeProtocol(
                file, environment: FuzzVariables.environment,
                parseDuration: { text in Int(text.prefix(4)).map { .seconds($0) } })
            let values = definition.parameters.map { ($0, "1") }
            let session = DeclarativeSession(
                definition, ProtocolParameters(Dictionary(values, uniquingKeysWith: { first, _ in first })))
            let rest = lines.dropFirst(end + 1).joined(separator: [UInt8(ascii: "\n")])
            check(session, Array(rest), carriesJSON: false)
        } catch {
            expectOneSafeLine("\(error)")
            expect(1...max(1, lines.count) ~= error.line && 1...input.count + 1 ~= error.column, "position: \(error)")
        }
    }

    private static func check(_ session: any ProtocolSession, _ input: [UInt8], carriesJSON: Bool) {
        var output = ProtocolOutput()
        var now: UInt64 = 1_000_000_000
        session.connectionOpened(subprotocol: nil, at: now, &output)
        for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let text = Array(line.dropFirst())
            let isText = UTF8Validator.isValid(Array(line).span.bytes) && UTF8Validator.isValid(text.span.bytes)
            switch line.first {
            case UInt8(ascii: "o"):
                let subprotocol = String(decoding: text, as: UTF8.self)
                session.connectionOpened(subprotocol: subprotocol.isEmpty ? nil : subprotocol, at: now, &output)
            case UInt8(ascii: "t") where isText, UInt8(ascii: "T") where isText:
                do throws(ProtocolInputError) {
                    let wantsReply = line.first == UInt8(ascii: "T")
                    _ = try session.send(text.span.bytes, wantsReply: wantsReply, at: now, &output)
                } catch {
                    expectOneSafeLine("\(error)")
                }
            case UInt8(ascii: "b"): session.received(text.span.bytes, as: .binary, at: now, &output)
            case UInt8(ascii: "w"):
                guard let deadline = session.deadline else { break }
                now = max(now, deadline)
                session.timePassed(at: now, &output)
                expect(session.deadline.map { $0 > now } ?? true, "a deadline has passed again")
            default:
                guard isText else { break }
                session.received(Array(line).span.bytes, as: .text, at: now, &output)
            }
            for item in output.items { check(item, carriesJSON: carriesJSON) }
            output.removeAll()
        }
    }

    private static func check(_ item: ProtocolOutput.Item, carriesJSON: Bool) {
        switch item {
        case .send(let bytes, .text): expect(UTF8Validator.isValid(bytes.span.bytes), "a sent text is not UTF-8")
        case .failure(let reason, _), .disconnect(let reason), .lineRefused(let reason), .close(_, let reason),
            .unknown(let reason):
            expectOneSafeLine(reason)
        case .event(let event) where event.isText:
            expect(UTF8Validator.isValid(event.line.span.bytes), "an event is not UTF-8")
            guard carriesJSON, !event.payload.isEmpty else { return }
            expect(JSONReader.problem(in: event.payload.span.bytes) == nil, "a payload is not JSON")
            expect(!event.line.contains(UInt8(ascii: "\n")), "an event has several lines")
        case .send, .event, .ready, .lineWaits, .lineSent, .linesDropped, .renewed: break
        }
    }
}
