/// Gives the heap's free memory back to the system when of many clients most have left.
///
/// What many clients used lies scattered between what the few that are left use, and the heap keeps it of itself.
///
///      clients   ╱╲_╱╲                  most ──────────────┐
///               ╱     ╲                 a quarter of it ───┼─► timer ─► trim, unless many have come again
///              ╱       ╲____            now ───────────────┘
internal final class CrowdMemory {
    /// With fewer clients than this there was no crowd.
    static let crowd = 32
    /// The part of a crowd that may be left for it to be over: one of so many.
    private static let fraction = 4

    /// How many times memory has been given back.
    private(set) var trimCount = 0

    private let loop: EventLoop
    private let delay: Duration
    private var count = 0
    /// The most clients since the last time.
    private var mostCount = 0
    private var timer: Timer?

    /// Watches over a server without clients.
    /// - Parameters:
    ///   - loop: The server's loop.
    ///   - delay: How long after the crowd has left it is done, and how often at most; a second by default.
    init(on loop: EventLoop, delay: Duration = .seconds(1)) {
        self.loop = loop
        self.delay = delay
    }

    /// Takes note of how many clients there are.
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
