import TestSupport
import Testing

@testable import Formats

@Suite struct FixedPointTests {
    @Test(
        "Numbers are rounded to the requested digits",
        arguments: [
            (0, 0, "0"), (0, 3, "0.000"), (1.2345, 2, "1.23"), (0.996, 2, "1.00"), (99.999, 2, "100.00"),
            (-0.001, 2, "0.00"), (-1.5, 1, "-1.5"), (0.05, 2, "0.05"), (123_456_789.125, 3, "123456789.125"),
            (.infinity, 1, "0.0"), (.nan, 1, "0.0"), (1e300, 0, "0"),
        ] as [(Double, Int, String)])
    func text(value: Double, digits: Int, text: String) {
        expectEqual(FixedPoint.text(value, digits: digits), text)
    }
}
