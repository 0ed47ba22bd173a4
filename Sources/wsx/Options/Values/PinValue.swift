import WSCore

/// The SHA-256 of a public key.
enum PinValue {
    /// Reads `sha256//` and the Base64 form of 32 bytes.
    static func parse(_ text: String) throws(ValueProblem) -> TLSPin {
        do throws(TLSPinError) {
            return try TLSPin(text)
        } catch {
            throw .notAPin
        }
    }
}
