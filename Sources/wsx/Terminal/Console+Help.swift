extension Console {
    /// Shows what `/help` asks for.
    func showHelp(_ topic: String?, of commands: [ReplCommand]) {
        guard let topic else { return show(ReplHelp.text(of: commands)) }
        guard let text = ReplHelp.text(about: topic, among: commands) else {
            return error(ReplLine.unknown(topic.hasPrefix("/") ? String(topic.dropFirst()) : topic, among: commands))
        }
        show(text)
    }
}
