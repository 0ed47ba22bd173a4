/// Resources shared by the connections of one loop.
public final class ConnectionResources {
    /// The loop that runs the connections.
    let loop: EventLoop
    /// The masking keys for client frames.
    package let maskingKeys: MaskingKeySource
    /// Buffers for the output of a turn.
    var outputStorage = ByteStoragePool()
    /// Partial inputs, lent to sessions while they decode.
    @usableFromInline let partialInputs = PartialInputPool()
    /// zlib streams and buffers, lent to connections while they compress.
    let deflateMemory = DeflateMemory()
    /// Predicts whether a message to many connections is the only one of its turn.
    var broadcastRhythm = BroadcastRhythm()
    /// Bounds what the connections hold together, or nil if nothing does.
    let memory: HeldMemory?
    /// Detects dead peers of paused connections.
    let deadPeerDetector: DeadPeerDetector
    private var timer: Timer?
    private var isTimerRunning = false
    private let idleInterval: Duration

    /// Creates the resources of a loop.
    ///
    /// - Parameters:
    ///   - loop: The loop that runs the connections.
    ///   - maskingKeys: The source of masking keys. Defaults to the system's secure random generator.
    ///   - idleInterval: The interval at which idle compression memory is released, 1 s by default. A connection
    ///     returns its memory after one to two intervals without compressing or decompressing.
    ///   - memory: Bounds what the connections hold together. Defaults to nil: no common bound.
    package init(
        on loop: EventLoop, maskingKeys: MaskingKeySource = MaskingKeySource(fill: SecureRandom.fill),
        idleInterval: Duration = .seconds(1), memory: HeldMemory? = nil
    ) {
        self.loop = loop
        self.memory = memory
        self.maskingKeys = maskingKeys
        self.idleInterval = idleInterval
        deadPeerDetector = DeadPeerDetector(on: loop)
        let timer = Timer(on: loop) { [unowned self] in releaseIdleMemory() }
        timer.keepsLoopAlive = false
        self.timer = timer
        deflateMemory.didLend = { [unowned self] in startTimer() }
    }

    /// Whether to return free heap memory to the system, when idle memory is released. By default, never.
    ///
    /// For the time when most of many connections have ended: their memory is scattered among blocks still in use, so
    /// the heap does not return it by itself. 300 throttled clients left 32 MiB behind.
    var mustTrimHeap: () -> Bool = { false }
    /// Returns free heap memory to the system.
    var trimHeap: () -> Void = Heap.trim

    /// Releases idle memory after the idle interval.
    func startTimer() {
        guard !isTimerRunning else { return }
        isTimerRunning = true
        timer?.start(after: idleInterval)
    }

    private func releaseIdleMemory() {
        isTimerRunning = false
        let isLent = deflateMemory.releaseIdle()
        if mustTrimHeap() { trimHeap() }
        if isLent { startTimer() }
    }
}
