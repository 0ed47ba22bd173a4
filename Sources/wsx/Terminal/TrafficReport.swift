import WSCore

/// Words for what went over a connection.
enum TrafficReport {
    /// What went both ways: `2 sent (812 B, 140 B on the wire), 1 received (17 B, 19 B on the wire)`.
    ///
    /// - Parameter showsBytes: Whether the bytes are shown, those of the messages against those that travelled.
    static func words(sent: Traffic, received: Traffic, showsBytes: Bool) -> String {
        "\(part(sent, "sent", showsBytes)), \(part(received, "received", showsBytes))"
    }

    private static func part(_ traffic: Traffic, _ verb: String, _ showsBytes: Bool) -> String {
        guard showsBytes else { return "\(traffic.messages) \(verb)" }
        return "\(traffic.messages) \(verb) (\(size(traffic.messageBytes)), \(size(traffic.wireBytes)) on the wire)"
    }

    /// A number of bytes: `812 B`, `31.2 KiB`, `1.0 GiB`; exact below 10 KiB.
    static func size(_ bytes: Int) -> String {
        guard bytes >= 10 << 10 else { return "\(bytes) B" }
        var (tenths, unit) = (bytes * 10 / 1024, 0)
        while tenths >= 10240, unit < units.count - 1 { (tenths, unit) = (tenths / 1024, unit + 1) }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    private static let units = ["KiB", "MiB", "GiB", "TiB"]
}
