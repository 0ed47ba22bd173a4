import WSCore

/// Reports redirects and the fields that they drop, in one line.
package enum ReportedRedirect {
    /// The notice about a redirect to another origin; nil for the same origin.
    package static func notice(of step: Connector.Step) -> String? {
        guard case .redirected(let request, let next) = step, !next.url.mayReceiveSecrets(of: request.url) else {
            return nil
        }
        return "wsx: redirected \(words(from: request, to: next))"
    }

    /// The target and the dropped fields: `to URL; not sent there: Authorization; …`
    package static func words(from request: ClientRequest, to next: ClientRequest) -> String {
        let names = request.fieldsDropped(by: next)
        guard !names.isEmpty else { return "to \(next.url.shortDescription)" }
        let dropped = escapingControls(names.joined(separator: ", "))
        let notice = "to \(next.url.shortDescription); not sent there: \(dropped)"
        // A signature for AWS is never sent there.
        let isSignature = names.contains("X-Amz-Date") && names.allSatisfy(AWSSigner.fieldNames.contains)
        return isSignature ? notice : "\(notice); --location-trusted sends everything"
    }
}
