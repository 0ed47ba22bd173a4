/// Why a text is not the hexadecimal or Base64 form of bytes.
enum EncodedTextError: Error, Equatable {
    /// A byte of the text, counted from 0, that cannot be there.
    case unexpected(offset: Int)
    /// Digits or characters are missing at the end: what is there stands for no whole number of bytes.
    case truncated
    /// The padding is not what has to follow so many characters.
    case badPadding
}
