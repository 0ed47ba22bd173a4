import Testing

@testable import WSCore

@Suite struct CrowdMemoryTests {
    @Test("memory is returned once when a quarter of the clients is left")
    func crowd() throws {
        try withMemory { loop, memory in
            for count in [1, 40, 100, 26] { memory.update(count) }
            loop.advance(by: .milliseconds(20))
            #expect(memory.trimCount == 0)
            memory.update(25)
            memory.update(24)
            loop.run { memory.trimCount > 0 }
            memory.update(20)
            loop.advance(by: .milliseconds(20))
            #expect(memory.trimCount == 1)
        }
    }

    @Test("few clients do not cause a trim")
    func few() throws {
        try withMemory { loop, memory in
            memory.update(CrowdMemory.crowd - 1)
            memory.update(0)
            loop.advance(by: .milliseconds(20))
            #expect(memory.trimCount == 0)
        }
    }

    @Test("memory is kept if clients come back in time")
    func again() throws {
        try withMemory { loop, memory in
            memory.update(100)
            memory.update(0)
            memory.update(80)
            loop.advance(by: .milliseconds(20))
            #expect(memory.trimCount == 0)
            memory.update(0)
            loop.run { memory.trimCount > 0 }
            for count in [100, 0] { memory.update(count) }
            loop.run { memory.trimCount > 1 }
        }
    }

    @Test("the timer does not keep the loop running")
    func loopEnds() throws {
        try withLoop { loop in
            let memory = CrowdMemory(on: loop, delay: .seconds(3600))
            for count in [100, 0] { memory.update(count) }
            loop.run()
            #expect(memory.trimCount == 0)
        }
    }

    private func withMemory(_ body: (EventLoop, CrowdMemory) throws -> Void) throws {
        try withLoop { loop in
            let memory = CrowdMemory(on: loop, delay: .milliseconds(2))
            try body(loop, memory)
        }
    }
}
