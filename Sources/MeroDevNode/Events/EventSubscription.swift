/// One subscriber of the hub: an SSE session or a WebSocket connection, with the ids it hears of. Lasts until ``detach()``,
/// whoever keeps this object.
final class EventSubscription: Sendable {
    let principal: EventPrincipal
    private let hub: EventHub
    private let number: Int

    init(hub: EventHub, number: Int, principal: EventPrincipal) {
        self.hub = hub
        self.number = number
        self.principal = principal
    }

    /// Adds ids and gives back those that were granted, in lower case, in the order asked for. Refused ids are dropped
    /// silently, and lose an earlier grant. Who is present in the granted contexts is delivered before this returns.
    func subscribe(contextIds: [String], groupIds: [String]) -> (contexts: [String], groups: [String]) {
        hub.subscribe(number, principal, contexts: contextIds, groups: groupIds, seeds: true)
    }

    /// Takes up what a stored session had; nobody is shown who is present.
    func restore(contextIds: [String], groupIds: [String]) -> (contexts: [String], groups: [String]) {
        hub.subscribe(number, principal, contexts: contextIds, groups: groupIds, seeds: false)
    }

    /// Removes ids and gives back the context ids that were subscribed until now.
    func unsubscribe(contextIds: [String], groupIds: [String]) -> [String] {
        hub.unsubscribe(number, contexts: contextIds, groups: groupIds)
    }

    /// What is subscribed, sorted.
    var contexts: [String] { (hub.subscriber(number)?.contexts ?? []).sorted() }
    var groups: [String] { (hub.subscriber(number)?.groups.keys.map { $0 } ?? []).sorted() }

    /// Nothing is delivered any more once this has returned.
    func detach() { hub.detach(number) }
}
