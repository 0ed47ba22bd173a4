import UserInterface
import WSCore

/// The credentials and the region that the environment and the user's AWS profile provide.
///
/// The AWS command line finds them in the same order. The files may be missing, and a variable that is empty counts as
/// not set.
struct AWSEnvironment {
    /// Looks up an environment variable.
    private let environment: (String) -> String?

    private static let option = "--aws-sigv4"
    /// The largest file to read.
    private static let maximumBytes = 1 << 20
    /// The entries of profiles that get credentials from a service or a program, which only the AWS command line can.
    private static let unsupportedKeys = [
        "role_arn", "web_identity_token_file", "sso_session", "sso_start_url", "login_session", "credential_process",
    ]

    init(environment: @escaping (String) -> String?) { self.environment = environment }

    /// The credentials of the variables, otherwise of the profile.
    /// - Throws: ``Failure/badArgument(what:why:)``, which contains no secret.
    func credentials() throws(Failure) -> AWSCredentials {
        if let id = variable("AWS_ACCESS_KEY_ID") {
            guard let key = variable("AWS_SECRET_ACCESS_KEY") else {
                throw Self.failure("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not; set both")
            }
            return try Self.credentials(id, key, variable("AWS_SESSION_TOKEN"), from: "the environment")
        }
        let profile = try profile()
        let place = "the AWS profile '\(escapingControls(profileName))'"
        if let key = Self.unsupportedKeys.first(where: { profile[$0] != nil }) {
            throw Self.failure("\(place) has '\(key)', which wsx does not support; first run \(exportCommand)")
        }
        guard let id = profile["aws_access_key_id"] else {
            throw Self.failure(
                """
                there are no AWS credentials in the environment or in \(place); set AWS_ACCESS_KEY_ID and \
                AWS_SECRET_ACCESS_KEY, or first run \(exportCommand)
                """)
        }
        guard let key = profile["aws_secret_access_key"] else {
            throw Self.failure("\(place) has no aws_secret_access_key; add it")
        }
        return try Self.credentials(id, key, profile["aws_session_token"], from: place)
    }

    /// The region: of the host name, the variables, or the profile.
    /// - Throws: ``Failure/badArgument(what:why:)`` if none names one.
    func region(of url: WebSocketURL) throws(Failure) -> String {
        if case .tcp(let host, _) = url.endpoint, let region = Self.region(ofHost: host) { return region }
        if let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") { return region }
        if let region = try profile()["region"] { return region }
        throw Self.failure("the region is missing; write REGION:SERVICE, or set AWS_REGION")
    }

    private static func credentials(
        _ id: String, _ key: String, _ token: String?, from source: String
    ) throws(Failure) -> AWSCredentials {
        do throws(AWSCredentialsError) {
            return try AWSCredentials(accessKeyID: id, secretKey: key, sessionToken: token)
        } catch {
            throw failure("\(error) (in \(source))")
        }
    }

    /// The region in a name such as `a1b2c3.execute-api.us-east-1.amazonaws.com`.
    private static func region(ofHost host: String) -> String? {
        let labels = host.split(separator: ".")
        guard let domain = labels.lastIndex(of: "amazonaws"), domain > 0 else { return nil }
        let label = labels[domain - 1]
        return label.contains("-") && label.last?.isNumber == true ? String(label) : nil
    }

    private var profileName: String { variable("AWS_PROFILE") ?? "default" }

    /// Prints the credentials of any kind of profile as commands that set the variables.
    private let exportCommand = #"eval "$(aws configure export-credentials --format env)""#

    /// The entries of the profile in both files. Those in the file for credentials take precedence.
    private func profile() throws(Failure) -> [String: String] {
        let name = profileName
        let configuration = try profiles("AWS_CONFIG_FILE", "config")
        let credentials = try profiles("AWS_SHARED_CREDENTIALS_FILE", "credentials")
        let sections = [
            name == "default" ? configuration?["default"] : nil, configuration?["profile \(name)"], credentials?[name],
        ].compactMap(\.self)
        guard !sections.isEmpty || variable("AWS_PROFILE") == nil else {
            throw Self.failure(
                """
                there is no AWS profile '\(escapingControls(name))' in the files 'config' and 'credentials'; check \
                AWS_PROFILE
                """)
        }
        return sections.reduce(into: [:]) { entries, section in entries.merge(section) { $1 } }
    }

    /// The profiles of a file: the one that a variable names, or one in `~/.aws`; nil: there is no such file.
    private func profiles(_ variable: String, _ name: String) throws(Failure) -> AWSProfiles? {
        guard let path = self.variable(variable) ?? self.variable("HOME").map({ "\($0)/.aws/\(name)" }),
            !File.isMissing(path)
        else { return nil }
        return AWSProfiles(
            parsing: try HeaderFiles.text(of: path, for: Self.option, maximumBytes: Self.maximumBytes))
    }

    private func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }

    private static func failure(_ why: String) -> Failure { .badArgument(what: option, why: why) }
}
