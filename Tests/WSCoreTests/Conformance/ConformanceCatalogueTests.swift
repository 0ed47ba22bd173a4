import TestSupport
import Testing

@Suite struct ConformanceCatalogueTests {
    @Test("the tables contain each of the 517 cases of the Autobahn TestSuite once")
    func complete() {
        let numbers: [String] =
            [
                FramingConformanceTests.cases, PingConformanceTests.cases, ReservedBitsConformanceTests.cases,
                OpcodeConformanceTests.cases, FragmentationConformanceTests.cases, CloseConformanceTests.cases,
                AutomaticFragmentationConformanceTests.cases,
            ].flatMap { $0.map(\.number) } + UTF8ConformanceTests.numbers + LimitsConformanceTests.numbers
            + CompressionPayloadConformanceTests.cases.map(\.number)
            + CompressionParametersConformanceTests.cases.map(\.number)
        expectEqual(Set(numbers).count, numbers.count)
        let counts = Dictionary(grouping: numbers) { $0.prefix { $0 != "." } }.mapValues(\.count)
        expectEqual(
            counts,
            [
                "1": 16, "2": 11, "3": 7, "4": 10, "5": 20, "6": 145, "7": 37, "9": 54, "10": 1, "12": 90, "13": 126,
            ])
        expectEqual(numbers.count, 517)
    }
}
