import Conversation
import Peer
import UserInterface
import WSCore

extension ConnectSettings {
    /// Returns the settings for another URL, typed at the prompt.
    ///
    /// Everything else stays the same, with two exceptions. If the origin differs, the new server does not learn the
    /// logins, header fields, subprotocols, first messages, answers, or heartbeat message meant for the first. The messages
    /// of the command line are not sent again.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func leading(to text: String) throws(Failure) -> ConnectSettings {
        let target = try ConnectorComposition.url(
            text, secrets: secrets, templates: arguments.data.usesTemplates ? data : nil,
            endpoint: protocolSelection?.descriptor.endpoint)
        var settings = self
        if target.mayReceiveSecrets(of: url) {
            settings.url = target
            settings.connector.request = connector.request.addressed(to: target)
            secrets.record.add(settings.connector.request)
            settings.lines = try LineQueue.Settings.make(arguments, url: target, hasPrompt: hasPrompt)
        } else {
            guard arguments.messages.input.wrap == nil else {
                throw .badArgument(
                    what: "--wrap", why: "it may contain secrets of this server; leave the prompt, and start wsx anew")
            }
            settings = try ConnectSettings(
                arguments.forOtherOrigin(text, protocolSelection), secrets: secrets, data: data,
                cookies: connectorResources.cookies)
        }
        settings.messages = []
        settings.requestTemplate.reconnectURL = nil
        settings.connector.location = nil
        return settings
    }
}

extension ConnectArguments {
    /// Returns the arguments for a URL of another origin, without credentials and without anything that names the first
    /// server. Subprotocols, first messages, answers, and heartbeat messages may contain tokens, so they are dropped; the
    /// heartbeat becomes a ping.
    fileprivate func forOtherOrigin(
        _ text: String, _ protocolSelection: ProtocolSelection?
    ) throws(Failure) -> ConnectArguments {
        var arguments = self
        arguments.client.url = text
        arguments.client.request.auth = nil
        arguments.client.request.bearer = nil
        arguments.client.request.signatureScope = nil
        arguments.client.request.cookies = []
        // They have been read.
        arguments.client.request.cookieFiles = []
        arguments.client.request.host = nil
        arguments.client.tls.certificate = nil
        arguments.client.tls.key = nil
        arguments.client.tls.passphrase = nil
        arguments.client.tls.serverName = nil
        arguments.client.request.subprotocols = []
        arguments.staying.heartbeatMessage = nil
        arguments.staying.reconnectURL = nil
        arguments.exchange = ExchangeArguments()
        if let known = protocolSelection?.descriptor.parameters {
            arguments.protocols.parameters.removeAll { given in
                (known.first { $0.name == given.name }?.isLogin ?? true)
                    || Secrets.isReference(given.value)
                    || TemplateStage.mayHavePlaceholders(Array(given.value.utf8))
            }
        }
        let headers = client.request.headers.filter { SecretCommand(ofHeader: $0) == nil }
        arguments.client.request.headers = try HeaderFiles.fields(headers).filter(\.isForAllOrigins)
            .map { "\($0.name): \($0.value)" }
        arguments.messages.texts = []
        arguments.messages.call = nil
        arguments.messages.file = nil
        return arguments
    }
}
