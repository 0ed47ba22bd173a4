import Conversation
import WSCore

extension ConnectSettings {
    /// The settings for another URL, typed at the prompt: the same in all else, but that no other origin learns what the
    /// user gave for this one (logins, header fields, subprotocols, the message of the heartbeat), and that the messages
    /// of the command line were for this one.
    ///
    /// Throws ``Failure/badArgument(what:why:)``.
    func leading(to text: String) throws(Failure) -> ConnectSettings {
        let target = try ConnectorComposition.url(parsing: text)
        var settings = self
        if target.isSameOrigin(as: url) {
            settings.url = target
            settings.connector.request = connector.request.addressed(to: target)
            secrets.record.add(target.userInfo)
            secrets.record.add(settings.connector.request)
            settings.requests = try RequestQueue.Settings.make(arguments, requestTarget: target.requestTarget)
        } else {
            settings = try ConnectSettings(arguments.forOtherOrigin(text), secrets: secrets)
        }
        settings.messages = []
        return settings
    }
}

extension ConnectArguments {
    /// The fields of `-H` that say nothing but what this client is and takes; with those that begin with `Accept`.
    private static let fieldsForAll = ["User-Agent", "Origin", "Cache-Control", "Pragma", "DNT"]

    /// The arguments for a URL of another origin: without all that logs in or may, or names the server. A subprotocol
    /// and the text of a heartbeat can be a token as well; without the text the heartbeat is a ping.
    fileprivate func forOtherOrigin(_ text: String) throws(Failure) -> ConnectArguments {
        var arguments = self
        arguments.client.url = text
        arguments.client.request.auth = nil
        arguments.client.request.bearer = nil
        arguments.client.request.cookies = []
        arguments.client.request.host = nil
        arguments.client.tls.certificate = nil
        arguments.client.tls.key = nil
        arguments.client.tls.passphrase = nil
        arguments.client.tls.serverName = nil
        arguments.client.request.subprotocols = []
        arguments.staying.heartbeatMessage = nil
        arguments.client.request.headers = try HeaderFiles.fields(client.request.headers).filter { field in
            field.name.lowercased().hasPrefix("accept") || Self.fieldsForAll.contains(where: field.isNamed)
        }.map { "\($0.name): \($0.value)" }
        arguments.messages = []
        arguments.file = nil
        return arguments
    }
}
