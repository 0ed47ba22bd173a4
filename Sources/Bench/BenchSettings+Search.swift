import LoadTest
import UserInterface
import WSCore

extension LoadPlan {
    /// The first rate of a search in messages per second, the duration of a step, and that of its warm-up.
    private static let firstStep = (
        rate: Rate.constant(100), duration: Duration.seconds(5), warmup: Duration.seconds(1)
    )

    /// Plans the first step of a search for the highest rate.
    /// - Throws: ``Failure/badArgument(what:why:)`` if the rate has stages.
    mutating func search(_ load: LoadArguments) throws(Failure) {
        guard pace.rateStages == nil else {
            throw .badArgument(what: "--rate", why: "--find-rate starts with one rate; give a number, such as 100")
        }
        pace.rate = pace.rate ?? Self.firstStep.rate
        duration = load.duration ?? Self.firstStep.duration
        if warmup == .zero { warmup = Self.firstStep.warmup }
    }
}

extension BenchSettings {
    /// Checks that the conditions of a search are about what the load measures, other than the rate.
    /// - Throws: ``Failure/badArgument(what:why:)``.
    func checkSearch() throws(Failure) {
        try Threshold.check(
            arguments.goals, for: "--find-rate", steps: plan.conversation.scenarios?.names, stages: [])
        try Self.check(arguments.goals, of: "--find-rate", in: plan.mode)
        guard let goal = arguments.goals.first(where: { $0.metricName == "rate" }) else { return }
        throw .badArgument(
            what: "--find-rate '\(escapingControls(goal.expression))'",
            why: "the rate is what is searched; use --threshold for the one that is found")
    }

    /// The same settings with a constant rate, in messages per second.
    func at(_ rate: Int) -> BenchSettings {
        var settings = self
        settings.plan.pace.rate = .constant(rate)
        return settings
    }
}
