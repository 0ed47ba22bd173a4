/// What was read when the handler could take no more; a connection has it only then.
final class ConnectionUnreadBytes {
    var bytes = ByteBuffer()
}
