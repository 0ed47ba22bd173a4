/// The Internet protocols that a connection may use.
enum AddressFamily {
    case any
    case ipv4
    case ipv6
}
