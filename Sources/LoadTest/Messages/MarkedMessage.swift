import Conversation
import WSCore

/// The messages of templates with a marker, which identifies a message in whatever envelope the server delivers it.
///
/// The marker is a ``DeliveryMessage`` of the least size: 48 hexadecimal digits, which no format escapes. Templates
/// without one are sent once on each connection, before the load.
package struct MarkedMessage: ~Copyable {
    /// The name of the variable that inserts the marker.
    package static let variable = "marker"

    /// The messages that each connection sends once.
    let openings: [Template]
    /// Whether no message has several markers.
    let isUnambiguous: Bool
    private var marker: DeliveryMessage
    private var templated: TemplatedMessage
    /// The first digits of each marker, in their memory representation.
    private let runDigits: UInt64

    /// Prepares the messages of templates. Returns `nil` if no template has a marker.
    /// - Parameters:
    ///   - variables: The variables of the templates, columns first.
    ///   - run: The number of the run.
    init?(
        _ templates: [Template], variables: VariableNames?, run: UInt32, rows: ConnectionRows?, clockOffset: UInt64
    ) {
        guard let slot = variables?.slot(of: Self.variable) else { return nil }
        let marked = templates.filter { $0.count(ofVariable: slot) > 0 }
        guard !marked.isEmpty else { return nil }
        openings = templates.filter { $0.count(ofVariable: slot) == 0 }
        // A second marker would count as a duplicate.
        isUnambiguous = marked.allSatisfy { $0.count(ofVariable: slot) == 1 }
        marker = DeliveryMessage(byteCount: DeliveryMessage.leastBytes, run: run)
        templated = TemplatedMessage(marked, variables: variables, rows: rows, clockOffset: clockOffset)
        runDigits = HexWord.digits(of: run)
    }

    /// Writes the message with a stamp.
    /// - Parameters:
    ///   - number: The number of the message on its connection, from 0. It selects the template.
    ///   - connection: The number of the connection, from 0.
    /// - Returns: Its bytes, which are valid until the next call.
    mutating func write(
        _ stamp: DeliveryMessage.Stamp, number: UInt64, on connection: UInt64
    ) -> UnsafeRawBufferPointer {
        marker.set(stamp)
        marker.withBytes { templated.set(marker: $0) }
        return templated.write(EchoMessage.Stamp(number: number, connection: connection, time: stamp.time))
    }

    /// Finds the markers of this run in a received message.
    /// - Parameter body: Receives the stamp of each marker, or `nil` for one that was altered.
    mutating func forEachStamp(in message: RawSpan, _ body: (DeliveryMessage.Stamp?) -> Void) {
        let wordBytes = MemoryLayout<UInt64>.size
        let length = DeliveryMessage.leastBytes
        var offset = 0
        while offset + wordBytes <= message.byteCount {
            guard message.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) == runDigits else {
                offset += 1
                continue
            }
            let end = min(offset + length, message.byteCount)
            body(marker.stamp(of: message.extracting(offset..<end)))
            offset = end
        }
    }
}
