import CommandLine

extension OptionHeading {
    package static let cases = OptionHeading("Cases")
    package static let load = OptionHeading("Load")
    package static let messages = OptionHeading("Messages")
    package static let server = OptionHeading("Server")
    package static let access = OptionHeading("Access")
    package static let proxy = OptionHeading("HTTP proxy")
    package static let web = OptionHeading("Web pages")
    package static let faults = OptionHeading("Fault injection")
    package static let format = OptionHeading("Input and output")
    package static let ending = OptionHeading("Ending")
    package static let protocols = OptionHeading("Application protocols")
    package static let requests = OptionHeading("Requests and replies")
    package static let exchange = OptionHeading("Login and automatic answers")
    package static let templates = OptionHeading("Templates and data")
    package static let scenario = OptionHeading("Scenarios")
    package static let staying = OptionHeading("Staying connected")
    package static let request = OptionHeading("Request")
    package static let network = OptionHeading("Network")
    package static let tls = OptionHeading("TLS")
    package static let compression = OptionHeading("Compression")
    package static let limits = OptionHeading("Limits")
    package static let results = OptionHeading("Results")
    package static let display = OptionHeading("Display")

    /// The headings in the order of help and manual.
    package static let all = [
        cases, load, messages, server, access, proxy, web, faults, format, protocols, ending, requests, templates,
        exchange,
        scenario,
        staying, request, network, tls, compression, limits, results, display,
    ]
}
