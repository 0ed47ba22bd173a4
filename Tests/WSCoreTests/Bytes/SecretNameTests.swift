import TestSupport
import Testing

@testable import WSCore

@Suite struct SecretNameTests {
    static let secretsCases: [String] = [
        "token", "access_token", "accessToken", "ACCESS-TOKEN", "auth[token]", "accessKey", "APIKey", "api.key",
        "key", "Key2", "x-key", "sig", "signature", "X-Amz-Signature", "X-Amz-Credential", "pass", "passwd", "pwd",
        "userPwd", "jwt", "id_jwt", "session", "PHPSESSID", "sid", "connect.sid", "login", "cookie", "Set-Cookie",
        "Set-Cookie2",
        "otp", "pin", "csrf", "csrfToken", "dpop", "DPoP", "hmac256", "authorization", "authorisation", "oauth2",
        "tkn", "accesstkn", "psw", "userpwd", "pswd", "wskey", "x-wskey2", "streamKey", "licensekey",
        "client_secret", "clientsecret", "MYPASSWORD", "Kennwort-Passwort", "private key", "privateKey",
    ]

    @Test("A name suggests a secret by a part of it, in any notation", arguments: Self.secretsCases)
    func secrets(name: String) {
        expectTrue(SecretName.isSecret(name))
    }

    static let harmlessCases: [String] = [
        "", "-", "monkey", "keyboard", "keyword", "turkey", "whiskey", "hotkey", "hot-key", "publickey", "design",
        "assign", "compass", "bypass", "passenger",
        "spin", "author", "authors", "authority", "author_id", "tokenizer", "idempotency_key", "publicKey",
        "partition-key", "x-cookie", "room", "user", "id", "EIO", "transport", "vsn", "version",
    ]

    @Test("A harmless name that only contains such letters does not", arguments: Self.harmlessCases)
    func harmless(name: String) {
        expectFalse(SecretName.isSecret(name))
    }

    @Test("Text assigns a secret only if a value follows its name")
    func assignments() {
        for text in ["token=x", "{\"token\": \"x\"}", #"{\"token\":\"x\"}"#, "a=1, pass: y", "auth[key]=x"] {
            expectTrue(SecretText.assignsSecret(text.utf8), "\(text)")
        }
        let harmless = [
            "token", "token=", "{\"token\":{}}", "{\"token\":{{json:env:T}}}", "token=&a=b", "the token is", "a=token",
        ]
        for text in harmless {
            expectFalse(SecretText.assignsSecret(text.utf8), "\(text)")
        }
    }
}
