import Formats
import WSCore

// The inspection of a message: its facts, and the data inside its values.
extension Transcript {
    /// Explains a kept message.
    /// - Parameters:
    ///   - previous: The message before it, or `nil` if there is none.
    ///   - now: The time to which times in the message are compared.
    func inspection(of entry: MessageLog.Entry, after previous: MessageLog.Entry?, at now: WallTime) -> String {
        var heading = facts(of: entry)
        if let previous {
            let time = Phrase.latency(entry.moment.loopTime - previous.moment.loopTime)
            heading.append(", \(time) after #\(previous.number)", as: .quiet)
        }
        let locations = entry.kind == .text ? EmbeddedData.locations(in: entry.payload.span.bytes) : []
        var lines = [heading] + locations.flatMap { self.lines(of: $0, at: now) }
        if locations.isEmpty { lines.append(StyledText("Nothing in it needs decoding.", as: .quiet, palette)) }
        if locations.count >= EmbeddedData.maximumCount {
            lines.append(StyledText("\(Glyphs.ellipsis) the rest is not decoded", as: .quiet, palette))
        }
        return lines.map { $0.text + "\n" }.joined()
    }

    private func lines(of location: EmbeddedData.Location, at now: WallTime) -> [StyledText] {
        var title = StyledText(palette)
        if !location.path.isEmpty {
            title.append(location.path, as: .key, cutTo: Self.maximumPathColumns)
            title.append("  ")
        }
        switch location.data {
        case .json(let json):
            title.append("JSON")
            return [title] + content(json)
        case .token(let header, let claims, let expiry):
            title.append("JSON Web Token, not verified")
            var lines = [title] + content(header) + content(claims)
            if let expiry {
                let time = WallTime(seconds: expiry, microseconds: 0)
                let word = time <= now ? "expired" : "expires"
                lines.append(StyledText("  \(word) \(Self.words(for: time, at: now))", palette))
            }
            return lines
        case .base64(let bytes):
            title.append("Base64, \(TrafficReport.size(bytes.count))")
            return [title] + content(bytes)
        case .time(let time):
            title.append(Self.words(for: time, at: now))
            return [title]
        }
    }

    /// Indented lines with decoded data: text, or a hexadecimal dump.
    private func content(_ bytes: [UInt8]) -> [StyledText] {
        let text = String(validating: bytes, as: UTF8.self)
        guard let text, escapingControls(text, keepingLayout: true) == text else {
            let digits = HexDump.digits(bytes.span.bytes.extracting(first: Self.maximumDumpedBytes))
            return [
                StyledText("  \(digits)\(bytes.count > Self.maximumDumpedBytes ? " " + Glyphs.ellipsis : "")", palette)
            ]
        }
        let message = MessageLayout.Message(
            kind: .text, isNotification: false, lead: StyledText(palette), matches: .none,
            columns: max(Self.minimumContentColumns, columns - 2), indentation: 2)
        return layout.lines(of: bytes.span.bytes, message, rows: Self.maximumContentRows).lines.map { line in
            var indented = StyledText("  ", palette)
            indented.append(line)
            return indented
        }
    }

    private static let maximumPathColumns = 60
    private static let minimumContentColumns = 20
    private static let maximumContentRows = 10
    private static let maximumDumpedBytes = 16

    /// A time, and how far away it is: `2026-05-01T12:00:00.000000Z, 3 h ago`.
    private static func words(for time: WallTime, at now: WallTime) -> String {
        let seconds = time.seconds - now.seconds
        let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        let (size, name) = units.first { seconds.magnitude >= $0.0 } ?? (1, "s")
        let distance = "\(Phrase.grouped(abs(seconds) / size)) \(name)"
        return "\(EventTime.text(of: time)), \(seconds > 0 ? "in \(distance)" : "\(distance) ago")"
    }
}
