import Conversation
import WSCore

/// Writes the messages of templates, which connections send in turn. All connections of a thread share its memory.
///
/// A message depends only on its stamp and the row of its connection. It can therefore be written again when its echo
/// arrives, to compare both.
struct TemplatedMessage: ~Copyable {
    private let templates: [Template]
    private let usesVariables: Bool
    /// The rows of the data file, or `nil` if there is none.
    private let rows: ConnectionRows?
    /// The offset from the loop's clock to the time since 1970, in nanoseconds.
    private let clockOffset: UInt64
    /// The variables of the connection with this number, or of none.
    private var variables: TemplateVariables
    private var connection: UInt64?
    /// The slot of the marker, or `nil` if the templates have none.
    private let markerSlot: Int?
    private var buffer = ByteBuffer()

    /// Prepares the messages of at least one template.
    /// - Parameters:
    ///   - variables: The variables of the templates, columns first; `nil`: the columns.
    ///   - rows: The rows of the data file, whose columns the templates may insert.
    ///   - clockOffset: The offset from the loop's clock to the time since 1970, in nanoseconds.
    init(_ templates: [Template], variables: VariableNames?, rows: ConnectionRows?, clockOffset: UInt64) {
        self.templates = templates
        self.rows = rows
        self.clockOffset = clockOffset
        usesVariables = templates.contains { $0.usesVariables }
        let names = variables ?? rows?.columns ?? VariableNames()
        self.variables = TemplateVariables(names)
        markerSlot = names.slot(of: MarkedMessage.variable)
        let unmarked = Array(repeating: UInt8(ascii: "0"), count: DeliveryMessage.leastBytes)
        set(marker: unmarked.span.bytes)
    }

    /// Sets the marker of the next message, if its template inserts one.
    mutating func set(marker: RawSpan) {
        if let markerSlot { variables.set(markerSlot, to: marker) }
    }

    /// Writes the message with a stamp.
    /// - Returns: Its bytes, which are valid until the next call.
    mutating func write(_ stamp: EchoMessage.Stamp) -> UnsafeRawBufferPointer {
        if usesVariables, connection != stamp.connection { take(stamp.connection) }
        buffer.removeAll()
        let properties = Template.Stamp(
            sequence: stamp.number &+ 1, connection: stamp.connection &+ 1,
            time: (stamp.time &+ clockOffset) / 1_000_000,
            // The seed reproduces random characters when the reply arrives.
            seed: stamp.number ^ stamp.connection &<< 40)
        let index = templates.count == 1 ? 0 : Int(stamp.number % UInt64(templates.count))
        do throws(TemplateValueError) {
            try templates[index].write(
                to: &buffer, stamp: properties, variables: variables)
        } catch {
            // Messages insert only columns of the data file, and each row has a value for each of them. Filters were
            // tried with the row.
            preconditionFailure("a message cannot be written: \(error)")
        }
        return buffer.withReadableBytes { $0.withUnsafeBytes { $0 } }
    }

    /// Prepares the variables for the messages of another connection.
    @inline(never)
    private mutating func take(_ number: UInt64) {
        connection = number
        if let row = rows?.row(of: number) { variables.set(row) }
    }
}
