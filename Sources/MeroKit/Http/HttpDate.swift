import Foundation

/// The moment that a header such as `Date` or `Retry-After` names: `Sun, 06 Nov 1994 08:49:37 GMT`. Nil for anything else.
///
/// Read by hand: Foundation's formatter traps on Linux for some texts, and whoever answers may write any.
package func httpDate(_ text: String) -> Date? {
    guard text.utf8.count <= 40, text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return nil }
    let words = text.split(separator: " ")
    guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
        let month = months.firstIndex(of: words[2].lowercased())
    else { return nil }
    let clock = words[4].split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, let day = number(words[1], 1...2), let year = number(words[3], 4...4),
        let hour = number(clock[0], 2...2), let minute = number(clock[1], 2...2), let second = number(clock[2], 2...2),
        // A leap second is as good as the one before it.
        let seconds = UnixTime.seconds(
            year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second == 60 ? 59 : second)
    else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(seconds))
}

private let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/// Digits only, so many of them.
private func number(_ text: Substring, _ digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int(text)
}
