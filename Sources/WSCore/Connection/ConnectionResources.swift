/// What the connections of one loop share: masking keys, and the memory that compression borrows.
public final class ConnectionResources {
    /// The loop.
    let loop: EventLoop
    /// The keys for the frames of clients.
    public let maskingKeys: MaskingKeySource
    /// Storage for what is written in one turn.
    let outputStorage = ByteStoragePool()
    /// What sessions share while nothing has arrived in part.
    let partialInputs = PartialInputPool()
    /// zlib's streams and buffers.
    let deflateMemory = DeflateMemory()
    /// Looks after the clients from which nothing is read.
    let deadPeerDetector: DeadPeerDetector
    private var timer: Timer?
    private var isTimerRunning = false
    private let idleInterval: Duration

    /// Makes the resources of a loop.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - maskingKeys: Where the keys come from.
    ///   - idleInterval: A connection that has compressed and decompressed nothing for one to two of these gives zlib's
    ///     memory back; 1 s by default.
    public init(
        on loop: EventLoop, maskingKeys: MaskingKeySource = MaskingKeySource(fill: SecureRandom.fill),
        idleInterval: Duration = .seconds(1)
    ) {
        self.loop = loop
        self.maskingKeys = maskingKeys
        self.idleInterval = idleInterval
        deadPeerDetector = DeadPeerDetector(on: loop)
        let timer = Timer(on: loop) { [unowned self] in releaseIdleMemory() }
        timer.keepsLoopAlive = false
        self.timer = timer
        deflateMemory.didLend = { [unowned self] in startTimer() }
    }

    private func startTimer() {
        guard !isTimerRunning else { return }
        isTimerRunning = true
        timer?.start(after: idleInterval)
    }

    private func releaseIdleMemory() {
        isTimerRunning = false
        if deflateMemory.releaseIdle() { startTimer() }
    }
}
