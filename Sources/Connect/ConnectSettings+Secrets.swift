import Conversation
import Peer
import UserInterface
import WSCore

extension ConnectSettings {
    /// The programs that run for each connection, each of them once.
    var secretCommands: [SecretCommand] {
        let request = arguments.client.request
        var commands = request.headers.compactMap { SecretCommand(ofHeader: $0) }
        let values =
            [("--auth", request.auth), ("--bearer", request.bearer), ("--proxy", arguments.client.network.proxy)]
            + request.cookies.map { ("--cookie", $0) }
        for (option, value) in values {
            if let value, let command = SecretCommand(value, of: option) { commands.append(command) }
        }
        commands += arguments.protocols.parameters.compactMap { SecretCommand($0) } + secrets.outputs.templateCommands
        var seen: Set<String> = []
        return commands.filter { seen.insert($0.argument).inserted }
    }

    /// Evaluates the request for an attempt to connect, with the latest outputs of programs.
    /// - Parameters:
    ///   - number: The number of the connection, from 1.
    ///   - received: The latest values of the variables that messages set.
    ///   - sender: The URL of the latest connection, which may have set them, or `nil` before the first one.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    mutating func renewRequest(
        for number: UInt64 = 1, _ received: [(slot: Int, value: TemplateVariables.Value)] = [],
        from sender: WebSocketURL? = nil
    ) throws(Failure) {
        var row = data
        row.received = received
        let columns = arguments.data.usesTemplates ? data.columns : nil
        try RequestComposition(arguments: arguments.client, secrets: secrets, variables: columns)
            .renew(&requestTemplate)
        var values = RequestValues(connection: number, row)
        let request: ClientRequest
        if number > 1 {
            let location: String?
            (request, location) = try requestTemplate.laterRequest(&values)
            // A location that has not changed has the same sender, even if it has been requested since.
            if location != connector.location?.text {
                let secretSources = requestTemplate.reconnectURL?.secretSources ?? []
                connector.location = location.map {
                    ReceivedLocation($0, from: sender ?? url, secretSources: secretSources)
                }
            }
        } else {
            request = try requestTemplate.request(&values)
        }
        // Placeholders may have other values, unless the user has asked for another URL of the origin.
        if url == requestedURL { url = request.url }
        requestedURL = request.url
        connector.request = request.url == url ? request : request.addressed(to: url)
        secrets.record.add(connector.request)
        if let proxy = arguments.client.network.proxy, SecretCommand(proxy, of: "--proxy") != nil {
            connector.proxies = try ConnectorComposition.proxies(arguments.client, secrets: secrets)
        }
        try protocolSelection?.renew(arguments.protocols, secrets: secrets)
    }
}
