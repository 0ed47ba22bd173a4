import WSCore

extension ConnectSettings {
    /// The settings for another URL, typed at the prompt: the same in all else, but that no other origin learns what the
    /// user gave for this one, and that the messages of the command line were for this one.
    ///
    /// Throws ``Failure/badArgument(what:why:)``.
    func leading(to text: String) throws(Failure) -> ConnectSettings {
        let target = try Self.url(parsing: text)
        var settings = self
        if target.isSameOrigin(as: url) {
            settings.url = target
            settings.connector.request = connector.request.addressed(to: target)
            settings.requests = try RequestQueue.Settings.make(arguments, requestTarget: target.requestTarget)
        } else {
            settings = try ConnectSettings(arguments.forOtherOrigin(text), secrets: secrets)
        }
        settings.messages = []
        return settings
    }
}

extension ConnectArguments {
    /// The arguments for a URL of another origin: without all that logs in, or names the server.
    fileprivate func forOtherOrigin(_ text: String) throws(Failure) -> ConnectArguments {
        var arguments = self
        arguments.url = text
        arguments.auth = nil
        arguments.bearer = nil
        arguments.cookies = []
        arguments.host = nil
        arguments.tls.certificate = nil
        arguments.tls.key = nil
        arguments.tls.passphrase = nil
        arguments.tls.serverName = nil
        arguments.headers = try HeaderFiles.fields(headers).filter { !ReportedHead.isSecret($0) && !$0.isNamed("Host") }
            .map { "\($0.name): \($0.value)" }
        arguments.messages = []
        arguments.file = nil
        return arguments
    }
}
