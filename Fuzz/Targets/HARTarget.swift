import Formats
import WSCore

extension FuzzTarget {
    /// A HAR file.
    ///
    /// - The size of blocks makes no difference.
    /// - A text is skipped if it is JSON, and has the same error otherwise.
    /// - Messages are written as they were read.
    static let har = FuzzTarget(name: "har") { input in
        guard String(validating: input, as: UTF8.self) != nil else { return }
        let source = blocks(of: input, blockBytes: 4096)
        let (connections, problem) = connections(in: source)
        let (others, otherProblem) = Self.connections(in: blocks(of: input, blockBytes: 7))
        expectEqual(problem, otherProblem, "the error with other blocks")
        expectEqual(connections.map(\.url), others.map(\.url), "the connections with other blocks")
        if let problem { expectOneSafeLine("\(problem)") }
        // The stream ignores a byte order mark.
        if !input.starts(with: [0xEF, 0xBB, 0xBF]) {
            let json = JSONReader.problem(in: input.span.bytes).map { JSONStreamError.invalid($0) }
            expectEqual(skipProblem(in: source), json, "the error of another parser")
        }
        for connection in connections.prefix(5) { check(connection, in: source) }
    }

    private static func blocks(of text: [UInt8], blockBytes: Int) -> JSONStream.Source {
        { offset, block in block = Array(text[min(text.count, offset)..<min(text.count, offset + blockBytes)]) }
    }

    private static func connections(in source: @escaping JSONStream.Source) -> ([HAREntry], HARError?) {
        do throws(HARError) { return (try HARReader.connections(in: source), nil) } catch { return ([], error) }
    }

    private static func skipProblem(in source: @escaping JSONStream.Source) -> JSONStreamError? {
        var stream = JSONStream(source: source)
        do throws(JSONStreamError) {
            try stream.skip()
            try stream.finish()
            return nil
        } catch {
            return error
        }
    }

    /// Writes the valid messages of a connection, and reads them again.
    private static func check(_ connection: HAREntry, in source: @escaping JSONStream.Source) {
        guard let messages = connection.messages else { return }
        let read = contents(of: messages, in: source)
        var writer = HARWriter(version: "0")
        writer.begin(HARConnection(url: "ws://h/", start: connection.start ?? .zero))
        for (kind, isSent, time, payload) in read {
            writer.add(payload.span.bytes, as: kind, isSent: isSent, time: time)
        }
        writer.end()
        writer.finish()
        let text = writer.text.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        let (again, problem) = connections(in: blocks(of: text, blockBytes: 4096))
        expectEqual(problem, nil, "the error of a written file")
        guard let written = again.first?.messages else { return expect(false, "a written file has no messages") }
        let reread = contents(of: written, in: blocks(of: text, blockBytes: 4096))
        expectEqual(reread.map(\.payload), read.map(\.payload), "the written payloads")
        // Until 2242, a number has more digits than microseconds need.
        if read.allSatisfy({ $0.time < .seconds(1 << 33) }) {
            expectEqual(reread.map(\.time), read.map(\.time), "the written times")
        }
        expectEqual(reread.map(\.isSent), read.map(\.isSent), "the written directions")
    }

    private static func contents(
        of messages: HAREntry.Messages, in source: @escaping JSONStream.Source
    ) -> [(kind: MessageKind, isSent: Bool, time: Duration, payload: [UInt8])] {
        var reader = HARMessageReader(messages, in: source)
        var contents: [(kind: MessageKind, isSent: Bool, time: Duration, payload: [UInt8])] = []
        do throws(HARError) {
            while let message = try reader.next() {
                guard case .message(let kind, let isSent, let time) = message else { continue }
                let payload = reader.withPayload { $0.withUnsafeBytes { Array($0) } }
                contents.append((kind, isSent, time ?? .zero, payload))
            }
        } catch {
            expectOneSafeLine("\(error)")
        }
        return contents
    }
}
