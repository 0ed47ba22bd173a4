import TestSupport
import Testing

@testable import WSCore

@Suite struct NumberedClientsTests {
    private final class Client {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test("clients are found by number until they are removed, in any order of removals")
    func removals() {
        for seed in 0..<20 {
            var random = SystemRandomNumberGenerator()
            var table = NumberedObjects()
            // Servers that share a port have every second number, for example.
            let numbers = (0..<200).map { 1 + $0 * (1 + seed % 3) }
            for number in numbers { table.append(Client(number), number) }
            var left = Set(numbers)
            for number in numbers.shuffled(using: &random) {
                let clients = NumberedClients<Client>(table)
                expectEqual(clients.count, left.count)
                expectEqual(clients.values.map(\.number), left.sorted())
                expectEqual(clients.map(\.0), left.sorted())
                expectEqual(clients.first?.number, left.min())
                expectEqual(clients[number]?.number, number)
                expectTrue(table.remove(number))
                expectFalse(table.remove(number))
                expectNil(NumberedClients<Client>(table)[number])
                left.remove(number)
            }
            expectTrue(NumberedClients<Client>(table).isEmpty)
            expectNil(NumberedClients<Client>(table).first)
        }
    }

    @Test("the places of clients that have left are used for others")
    func storage() {
        var table = NumberedObjects()
        let first = Client(1)
        table.append(first, 1)
        for number in 2..<10_000 {
            table.append(Client(number), number)
            if number > 10 { _ = table.remove(number - 5) }
            #expect(table.objects.count < 100)
        }
        #expect(NumberedClients<Client>(table)[1] === first)
    }
}
