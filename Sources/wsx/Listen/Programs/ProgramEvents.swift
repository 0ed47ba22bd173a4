import WSCore

/// Converts between events and the lines of a program with `--exec-json`.
final class ProgramEvents {
    private var clock = EventClock()
    private var decoder = InputDecoder(.json, as: .text)

    /// Writes an event to the program.
    func write(_ type: StaticString, to input: ProgramInput, _ addFields: (inout JSONEvent) -> Void) {
        clock.update()
        clock.text.withUnsafeBytes { input.append(type, time: $0.bytes, addFields) }
    }

    /// Decodes a line of the program. ``withPayload(_:)`` then provides its payload.
    /// - Returns: What the event asks for, or `nil` if it asks for nothing.
    func decode(_ line: RawSpan) throws(InputProblem) -> InputDecoder.Input? { try decoder.decode(line) }

    /// Passes the payload of the last decoded event to `body`.
    func withPayload(_ body: (RawSpan) -> Void) { decoder.withPayload(of: RawSpan(), body) }
}
