extension OptionTable {
    /// Proxies.
    static let proxies = [
        OptionSpecification(
            "proxy", value: OptionValue("URL"), group: .network,
            summary: "Connect through a proxy",
            manual: """
                Connect through the proxy *URL*: `http://`, `https://` (CONNECT, over TLS), `socks5://` (names are looked \
                up here) or `socks5h://` (by the proxy), with *user*`:`*password*`@` where it wants them. Without the \
                option the variables in ENVIRONMENT say; an empty *URL* stands for no proxy.
                """, secrets,
            effect: .update(.client { arguments, value in arguments.proxy = value })),
        OptionSpecification(
            "no-proxy", value: OptionValue("HOSTS"), group: .network,
            summary: "Connect to these without a proxy",
            manual: """
                Connect to these hosts without a proxy, in place of the variable `no_proxy`: names, which stand for all \
                that end in them, too, addresses, networks as in `10.0.0.0/8`, or `*` for all, each with `:`*port* if it \
                matters, separated by commas.
                """,
            effect: .update(.client { arguments, value in arguments.noProxy = value })),
    ]
}
