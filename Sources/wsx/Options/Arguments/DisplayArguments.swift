/// The arguments that all commands have in common that show something.
protocol DisplayArguments: Sendable {
    var isQuiet: Bool { get set }
    var color: ColorChoice { get set }
}
