import Formats
import WSCore

/// Formats the traffic of a connection.
package enum TrafficReport {
    /// The traffic in both directions: `2 sent, 1 received; 812 B out (140 B on the wire), 17 B in (19 B on the wire)`.
    ///
    /// - Parameter showsWire: Whether to show the bytes on the wire beside the size of the messages.
    package static func words(sent: Traffic, received: Traffic, showsWire: Bool) -> String {
        "\(sent.messages) sent, \(received.messages) received; "
            + "\(bytes(sent, "out", showsWire)), \(bytes(received, "in", showsWire))"
    }

    private static func bytes(_ traffic: Traffic, _ direction: String, _ showsWire: Bool) -> String {
        let wire = showsWire ? " (\(size(traffic.wireBytes)) on the wire)" : ""
        return "\(size(traffic.messageBytes)) \(direction)\(wire)"
    }

    /// The bytes that compression saved, net of headers and control frames: `61 % saved`.
    package static func savings(_ traffic: Traffic) -> String {
        guard traffic.wireBytes < traffic.messageBytes else { return "nothing saved" }
        return "\((traffic.messageBytes - traffic.wireBytes) * 100 / traffic.messageBytes) % saved"
    }

    /// A number of bytes: `812 B`, `31.2 KiB`, `1.0 GiB`; exact below 10 KiB.
    package static func size(_ bytes: Int) -> String {
        guard bytes >= 10 << 10 else { return "\(bytes) B" }
        var (tenths, unit) = (bytes * 10 / 1024, 0)
        while tenths >= 10240, unit < units.count - 1 { (tenths, unit) = (tenths / 1024, unit + 1) }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// A number of bytes in seven characters, for aligned columns: `99999 B`, ` 98 KiB`, `9.8 MiB`.
    static func column(_ bytes: Int) -> String {
        guard bytes >= 100_000 else { return rightAligned("\(bytes) B", 7) }
        var (tenths, unit) = (bytes / 1024 * 10 + bytes % 1024 * 10 / 1024, 0)
        // Four digits would not fit.
        while tenths >= 9995, unit < units.count - 1 { (tenths, unit) = ((tenths + 512) / 1024, unit + 1) }
        let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
        return rightAligned("\(number) \(units[unit])", 7)
    }

    private static let units = ["KiB", "MiB", "GiB", "TiB"]
}
