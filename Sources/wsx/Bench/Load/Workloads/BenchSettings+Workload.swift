import WSCore

extension BenchSettings {
    /// The workload of a thread.
    /// - Parameter clockOffset: What is added to a time on the loop's clock to have one since 1970, in nanoseconds.
    func makeWorkload(clockOffset: UInt64) -> any Workload {
        let message =
            messages.isEmpty ? EchoMessage(byteCount: messageBytes) : EchoMessage(messages, clockOffset: clockOffset)
        switch arguments.mode {
        case .echo: return EchoWorkload(message, as: kind, inFlight: arguments.inFlight)
        case .idle: return PingWorkload(message)
        case .send: return SendWorkload(message, as: kind)
        case .receive: return ReceiveWorkload(message, as: kind, count: messages.count)
        case .connect: return ConnectWorkload()
        case .broadcast:
            return BroadcastWorkload(
                DeliveryMessage(byteCount: messageBytes, run: runNumber), as: kind,
                publisherCount: arguments.publisherCount)
        }
    }
}
