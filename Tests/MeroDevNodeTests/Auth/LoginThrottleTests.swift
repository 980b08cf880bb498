import Testing

@testable import MeroDevNode

@Suite struct LoginThrottleTests {
    @Test func aHundredRejectionsAnHourLockTheAccountEverywhere() {
        var throttle = LoginThrottle()
        for index in 0..<100 {
            let peer = "10.0.0.\(index / 5)"
            #expect(throttle.wait(peer: peer, account: "a", now: Int64(index * 10)) == nil)
            throttle.rejected(peer: peer, account: "a", now: Int64(index * 10))
        }
        #expect(throttle.wait(peer: "10.9.9.9", account: "a", now: 1000) == 2600)
        #expect(throttle.wait(peer: "10.9.9.9", account: "b", now: 1000) == nil)
        // A success forgives the pair, not the account.
        throttle.accepted(peer: "10.9.9.9", account: "a")
        #expect(throttle.wait(peer: "10.9.9.9", account: "a", now: 1000) == 2600)
        #expect(throttle.wait(peer: "10.9.9.9", account: "a", now: 3599) == 1)
        #expect(throttle.wait(peer: "10.9.9.9", account: "a", now: 3600) == nil)
    }

    @Test func theWindowSlides() {
        var throttle = LoginThrottle()
        for now in [0, 10, 20, 30, 40] as [Int64] { throttle.rejected(peer: "p", account: "a", now: now) }
        #expect(throttle.wait(peer: "p", account: "a", now: 45) == 15)
        #expect(throttle.wait(peer: "p", account: "a", now: 59) == 1)
        #expect(throttle.wait(peer: "p", account: "a", now: 60) == nil)
        throttle.rejected(peer: "p", account: "a", now: 60)
        #expect(throttle.wait(peer: "p", account: "a", now: 61) == 9)
        #expect(throttle.wait(peer: "q", account: "a", now: 61) == nil)
    }
}
