@testable import WSCore

extension FuzzTarget {
    /// A file with AWS profiles.
    ///
    /// - Names of keys are in lower case, and keys and values are trimmed.
    /// - Credentials from it sign a request with valid header fields.
    static let awsProfiles = FuzzTarget(name: "aws-profiles") { input in
        let profiles = AWSProfiles(parsing: input)
        for (name, entries) in profiles.sections {
            expect(profiles[name] == entries, "a section is not found")
            for (key, value) in entries {
                expect(key == ASCII.lowercased(key), "a key is not in lower case")
                expect(ASCII.trimmed(Array(value.utf8)[...]).count == value.utf8.count, "a value is not trimmed")
                expect(!value.utf8.contains { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }, "several lines")
                let credentials = try? AWSCredentials(accessKeyID: key, secretKey: value, sessionToken: value)
                guard let credentials else { continue }
                let signer = AWSSigner(credentials: credentials, region: "r", service: "s")
                for field in signer.fields(signing: "GET", "/", [], at: 0) {
                    expect((try? HeaderField(name: field.name, value: field.value)) != nil, "an invalid field")
                }
            }
        }
    }
}
