/// Input held back because the handler could not take more; allocated only then.
final class ConnectionUnreadBytes {
    var bytes = ByteBuffer()
}
