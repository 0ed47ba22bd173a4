/// Returns free heap memory to the system after most of many clients have left.
///
/// Memory freed by departed clients is scattered among blocks still in use, so the allocator does not return it.
///
///      clients   ╱╲_╱╲                  peak ──────────────┐
///               ╱     ╲                 a quarter of it ───┼─► timer ─► trim, unless clients have come back
///              ╱       ╲____            now ───────────────┘
internal final class CrowdMemory {
    /// The minimum peak number of clients for a trim.
    static let crowd = 32
    /// Trimming requires that at most one in this many clients is left.
    private static let fraction = 4

    /// The number of times memory was returned.
    private(set) var trimCount = 0

    private let loop: EventLoop
    private let delay: Duration
    private var count = 0
    /// The peak number of clients since the last trim.
    private var mostCount = 0
    private var timer: Timer?

    /// Creates a monitor for a server without clients.
    /// - Parameters:
    ///   - loop: The server's loop.
    ///   - delay: The delay before a trim, and the minimum interval between trims. Defaults to 1 s.
    init(on loop: EventLoop, delay: Duration = .seconds(1)) {
        self.loop = loop
        self.delay = delay
    }

    /// Updates the current number of clients.
    func update(_ count: Int) {
        self.count = count
        mostCount = max(mostCount, count)
        guard hasThinned, timer == nil else { return }
        let timer = Timer(on: loop) { [unowned self] in trim() }
        timer.keepsLoopAlive = false
        timer.start(after: delay)
        self.timer = timer
    }

    private var hasThinned: Bool { mostCount >= Self.crowd && count <= mostCount / Self.fraction }

    private func trim() {
        timer = nil
        guard hasThinned else { return }
        mostCount = count
        trimCount += 1
        Heap.trim()
    }
}
