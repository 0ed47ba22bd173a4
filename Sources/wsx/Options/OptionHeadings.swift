import CommandLine

extension OptionHeading {
    static let load = OptionHeading("Load")
    static let messages = OptionHeading("Messages")
    static let server = OptionHeading("Server")
    static let access = OptionHeading("Access")
    static let web = OptionHeading("Web pages")
    static let faults = OptionHeading("Fault injection")
    static let format = OptionHeading("Input and output")
    static let ending = OptionHeading("Ending")
    static let protocols = OptionHeading("Application protocols")
    static let requests = OptionHeading("Requests and replies")
    static let exchange = OptionHeading("Login and automatic answers")
    static let templates = OptionHeading("Templates and data")
    static let scenario = OptionHeading("Scenarios")
    static let staying = OptionHeading("Staying connected")
    static let request = OptionHeading("Request")
    static let network = OptionHeading("Network")
    static let tls = OptionHeading("TLS")
    static let compression = OptionHeading("Compression")
    static let limits = OptionHeading("Limits")
    static let results = OptionHeading("Results")
    static let display = OptionHeading("Display")

    /// The headings in the order of help and manual.
    static let all = [
        load, messages, server, access, web, faults, format, protocols, ending, requests, templates, exchange, scenario,
        staying, request, network, tls, compression, limits, results, display,
    ]
}
