import Foundation
import MeroKit

/// What a cloud user sees of what is theirs.
///
/// Spec: 70, section 3.2.
extension CloudCore {
    static func ownerRoutes(_ core: CloudCore) -> [NodeRoute] {
        [
            session("GET", "/api/cloud/me/namespaces", core) { core, _, claims in core.namespaces(of: claims.email) },
            session("GET", "/api/cloud/me/namespaces/{namespace}/relays", core) { core, call, claims in
                let id = try call.cloudId("namespace")
                guard core.state.withLock({ $0.namespaces[id]?.owner }) == claims.email else {
                    throw CloudProblem.unknownNamespace
                }
                let options = core.options
                return .json(200, ["relays": .array(core.placements(of: id).map { Self.relayRow($0, options) })])
            },
            session("GET", "/api/cloud/me/machines", core) { core, _, claims in core.machines(of: claims.email) },
            // Retired: nothing is left to tell.
            session("GET", "/api/cloud/me/node", core) { _, _, _ in .json(200, ["node": .null]) },
        ]
    }

    private func namespaces(of email: String) -> DevHttpResponse {
        let (ids, records, relays) = state.withLock { state in
            (state.namespaceIds { $0.owner == email }, state.namespaces, state.relays)
        }
        let limit = options.replicaLimit
        let rows: [JsonTree] = ids.map { id in
            let record = records[id]
            let nodes = relays.filter { relay in
                record?.relays.contains { $0.peerId == relay.facts.peerId } ?? false
            }.compactMap(\.node)
            let contexts = nodes.compactMap { $0.contexts(ofGroup: id) }.first ?? []
            return [
                "namespace_id": .string(id), "group_id": .string(id),
                "ha_status": .string((record?.hosting ?? .none).rawValue),
                "ha_enabled_at": record?.enabledAt.map(Self.time) ?? .null, "contexts": JsonTree(contexts),
                "fleet_replicas": ["current": JsonTree(placements(of: id).count), "limit": JsonTree(limit)],
            ]
        }
        return .json(200, .array(rows))
    }

    private static func relayRow(_ place: Placement, _ options: DevCloudOptions) -> JsonTree {
        let keyName = place.relay.spellsNodePublicKey ? "node_public_key" : "node_key"
        var row: [JsonMember] = [
            JsonMember(name: "peer_id", value: .string(place.peerId)),
            JsonMember(name: "relay_url", value: text(place.address)),
            JsonMember(name: "executor_account", value: text(place.executor)),
            JsonMember(name: keyName, value: text(place.relay.nodeKey)),
            JsonMember(name: "status", value: status(place)),
            JsonMember(name: "authorship_ready", value: .bool(place.isReady)),
            JsonMember(name: "last_seen_at", value: time(place.lastSeen)),
            JsonMember(name: "confirmed_at", value: place.isActive ? time(place.since) : .null),
        ]
        if options.tellsRecentFields {
            row.append(JsonMember(name: "tee_role", value: text(place.teeRole)))
            row.append(JsonMember(name: "can_execute", value: .bool(place.canWrite)))
        }
        return .object(row)
    }

    private func machines(of email: String) -> DevHttpResponse {
        let ids = state.withLock { $0.namespaceIds { $0.owner == email } }
        let options = options
        var order: [String] = []
        var rows: [String: [(String, Placement)]] = [:]
        for id in ids {
            for place in placements(of: id) {
                if rows[place.peerId] == nil { order.append(place.peerId) }
                rows[place.peerId, default: []].append((id, place))
            }
        }
        let machines: [JsonTree] = order.compactMap { peer in
            guard let places = rows[peer], let first = places.first?.1 else { return nil }
            var row: [JsonMember] = [
                JsonMember(name: "peer_id", value: .string(peer)),
                JsonMember(name: "relay_url", value: Self.text(first.address)),
                JsonMember(name: "executor_account", value: Self.text(first.executor)),
                JsonMember(
                    name: "namespaces",
                    value: .array(
                        places.map { id, place in
                            [
                                "namespace_id": .string(id), "status": Self.status(place),
                                "authorship_ready": .bool(place.isReady), "tee_role": Self.text(place.teeRole),
                                "fresh": .bool(place.isFresh),
                                "confirmed_at": place.isActive ? Self.time(place.since) : .null,
                                "last_seen_at": Self.time(place.lastSeen),
                            ]
                        })),
            ]
            if options.tellsRecentFields {
                row.append(JsonMember(name: "can_execute", value: .bool(places.contains { $0.1.canWrite })))
            }
            return .object(row)
        }
        return .json(200, ["machines": .array(machines)])
    }

    static func text(_ text: String?) -> JsonTree { text.map(JsonTree.string) ?? .null }

    static func status(_ place: Placement) -> JsonTree { place.isActive ? "active" : "assigned" }
}
