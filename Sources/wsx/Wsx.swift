import WSCore

/// The program.
@main
struct Wsx {
    static func main() {
        do {
            switch try CommandLineParser.parse(Array(CommandLine.arguments.dropFirst())) {
            case .help(let t): print(t, terminator: "")
            case .completions(let t): print(t, terminator: "")
            case .version: print("wsx \(version)")
            case .connect(let c): print(c)
            case .listen(let c): print(c)
            }
        } catch { print(error.message) }
    }
}

/// The version that `wsx --version` prints.
let version = "0.1.0"
