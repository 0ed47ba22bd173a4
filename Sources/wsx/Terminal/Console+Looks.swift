// The commands of both prompts that change the display of messages.
extension Console {
    /// Switches the indentation of JSON; nil toggles it.
    func setPretty(_ isPretty: Bool?, of transcript: Transcript) {
        transcript.layout.isPretty = isPretty ?? !transcript.layout.isPretty
        notice(transcript.layout.isPretty ? "JSON is indented." : "JSON is shown unchanged.")
    }

    /// Switches the timestamps; nil toggles between the time of day and the time since the start.
    func setTime(_ style: TimestampStyle?, of transcript: Transcript) {
        let style = style ?? (transcript.clock.style == .relative ? .local : .relative)
        transcript.clock.style = style
        notice("Times: \(style.summary).")
    }
}
