import Formats
import WSCore

/// A typed line of ``MQTTSession``: `pub -q 1 -r lamp on`.
struct MQTTLine {
    enum Command {
        case publish(topic: String, message: [UInt8])
        case subscribe([String])
        case unsubscribe([String])
    }

    let command: Command
    private(set) var qos: UInt8 = 0
    private(set) var isRetained = false

    init(_ line: RawSpan) throws(ProtocolInputError) {
        var line = TypedLine(line)
        // A message as it is shown, if its topic cannot be a command.
        let isShown = line.next == UInt8(ascii: "\"") || line.nextWord.utf8.contains(UInt8(ascii: "/"))
        let name = isShown ? "pub" : line.word() ?? ""
        guard ["pub", "sub", "unsub"].contains(name) else {
            throw ProtocolInputError("unknown command \(quoted(name)); write: pub TOPIC MESSAGE, or: sub FILTER")
        }
        while name != "unsub", ["-q", "-r"].contains(line.nextWord) {
            if line.word() == "-q" {
                guard let qos = UInt8(line.word() ?? ""), qos <= 1 else {
                    throw ProtocolInputError("-q needs QoS 0 or 1, as in: \(name) -q 1 a/b")
                }
                self.qos = qos
            } else if name == "pub" {
                isRetained = true
            } else {
                throw ProtocolInputError("-r is for pub: pub -r TOPIC MESSAGE")
            }
        }
        if name == "pub" {
            if !isShown { try Self.checkNoFlag(line) }
            let topic = try line.name("the topic", "write pub TOPIC MESSAGE, as in: pub a/b hello")
            try Self.check(topic, "the topic")
            // [MQTT-3.3.2-2]
            guard !topic.contains(where: { $0 == "#" || $0 == "+" }) else {
                throw ProtocolInputError("the topic \(quoted(topic)) is invalid; # and + are for filters")
            }
            command = .publish(topic: topic, message: JSONBytes.bytes(of: line.rest) ?? line.rest)
            return
        }
        var filters: [String] = []
        while !line.isAtEnd {
            try Self.checkNoFlag(line)
            let filter = try line.name("the filter", "write \(name) FILTER, as in: \(name) a/#")
            try Self.check(filter, "the filter")
            guard Self.hasValidWildcards(filter) else {
                throw ProtocolInputError(
                    "the filter \(quoted(filter)) is invalid; + is a whole level, and # is the last one, as in a/+/#")
            }
            if !filters.contains(filter) { filters.append(filter) }
        }
        guard 1...1000 ~= filters.count else {
            throw ProtocolInputError("\(name) needs 1 to 1,000 filters: \(name) a/#")
        }
        command = name == "sub" ? .subscribe(filters) : .unsubscribe(filters)
    }

    private static func checkNoFlag(_ line: TypedLine) throws(ProtocolInputError) {
        guard line.nextWord.hasPrefix("-") else { return }
        throw ProtocolInputError(
            "unexpected flag \(quoted(line.nextWord)); write -q 1 and -r before the topic, and a topic that begins with - "
                + "in quotes")
    }

    /// §4.7.3: a topic or filter has 1 to 65,535 bytes without U+0000.
    private static func check(_ text: String, _ what: String) throws(ProtocolInputError) {
        let problem: String? =
            if text.isEmpty {
                "is empty"
            } else if text.utf8.contains(0) {
                "contains NUL"
            } else if text.utf8.count > MQTTPacket.maximumStringBytes {
                "has more than 65,535 bytes"
            } else { nil }
        if let problem { throw ProtocolInputError("\(what) \(problem)") }
    }

    /// §4.7.1: `+` is a whole level, and `#` is the last one.
    private static func hasValidWildcards(_ filter: String) -> Bool {
        let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        return levels.enumerated().allSatisfy { index, level in
            if level == "+" { return true }
            if level == "#" { return index == levels.count - 1 }
            return !level.contains { $0 == "#" || $0 == "+" }
        }
    }
}
