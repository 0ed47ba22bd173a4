import Testing

@testable import UserInterface
@testable import WSCore

@Suite struct DeadlineTimerTests {
    /// A deadline that moves, and the calls of its timer.
    private final class Scene {
        let loop: EventLoop
        var deadline: UInt64?
        /// The number of questions before reading has resumed.
        var pausedCount = 0
        /// The turns in which the timer asked whether reading is paused.
        var questions: [UInt64] = []
        var action: () -> Void = {}
        private(set) lazy var timer = DeadlineTimer(
            on: loop, deadline: { [unowned self] in deadline },
            isReadingPaused: { [unowned self] in
                questions.append(loop.turnCount)
                return questions.count <= pausedCount
            },
            action: { [unowned self] in action() })

        init() throws {
            loop = try EventLoop()
        }
    }

    @Test("The action is called once, in a later turn than the deadline, so that data before it is read")
    func passed() throws {
        let scene = try Scene()
        var turns: [UInt64] = []
        scene.action = { [unowned scene] in turns.append(scene.loop.turnCount) }
        scene.deadline = scene.loop.now.nanoseconds
        scene.timer.update()
        scene.loop.run()
        #expect(turns.count == 1)
        #expect(scene.questions.count == 2)
        #expect(scene.questions[0] < scene.questions[1])
    }

    @Test("A deadline that has moved to a later time is waited for")
    func moved() throws {
        let scene = try Scene()
        var time: UInt64?
        scene.action = { [unowned scene] in time = scene.loop.now.nanoseconds }
        scene.deadline = scene.loop.now.nanoseconds
        scene.timer.update()
        let later = scene.loop.now.nanoseconds + 20_000_000
        scene.deadline = later
        scene.timer.update()
        scene.loop.run()
        #expect(try #require(time) >= later)
    }

    @Test("A deadline that has moved to an earlier time is not missed")
    func earlier() throws {
        let scene = try Scene()
        var isCalled = false
        scene.action = { isCalled = true }
        scene.deadline = scene.loop.now.nanoseconds + 3_600_000_000_000
        scene.timer.update()
        scene.deadline = scene.loop.now.nanoseconds
        scene.timer.update()
        scene.loop.run()
        #expect(isCalled)
    }

    @Test("Without a deadline, or after a stop, nothing is called")
    func stopped() throws {
        let scene = try Scene()
        scene.action = { Issue.record("it was called") }
        scene.timer.update()
        scene.deadline = scene.loop.now.nanoseconds
        scene.timer.update()
        scene.timer.stop()
        scene.timer.stop()
        scene.loop.run()
        scene.timer.update()
        scene.deadline = nil
        scene.timer.update()
        scene.loop.run()
        scene.deadline = scene.loop.now.nanoseconds
        scene.timer.update()
        scene.deadline = nil
        scene.loop.run()
        #expect(scene.questions.isEmpty)
    }

    @Test("While reading is paused, data may have arrived in time, so the action waits")
    func paused() throws {
        let scene = try Scene()
        var questionCounts: [Int] = []
        scene.action = { [unowned scene] in questionCounts.append(scene.questions.count) }
        scene.pausedCount = 1
        scene.deadline = scene.loop.now.nanoseconds
        scene.timer.update()
        scene.loop.run()
        #expect(questionCounts == [3])
    }
}
