import MeroDevNode

@testable import MeroKit

/// Which routes of the admin API nodes have answered, and how.
struct LiveCoverage {
    /// By route, as `GET /admin-api/contexts/{}`.
    private(set) var statuses: [String: Set<Int>] = [:]
    /// What no endpoint is declared for.
    private(set) var strangers: Set<String> = []

    mutating func add(_ records: [DevRequestRecord]) {
        for record in records where record.path.hasPrefix("/admin-api/") {
            guard let status = record.status else { continue }
            if let route = Self.route(record.method, record.path) {
                statuses[route, default: []].insert(status)
            } else {
                strangers.insert("\(record.method) \(record.path)")
            }
        }
    }

    func answered(_ route: String) -> Bool { statuses[route]?.contains { (200...299).contains($0) } ?? false }

    /// The most literal endpoint that a path is one of.
    private static func route(_ method: String, _ path: String) -> String? {
        let segments = path.split(separator: "/")
        let fitting = AdminEndpoints.all.filter { endpoint in
            let template = endpoint.template.split(separator: "/")
            return endpoint.method.rawValue == method && template.count == segments.count
                && zip(template, segments).allSatisfy { $0.first == "{" || $0 == $1 }
        }
        func words(_ endpoint: any EndpointDescription) -> [Int] {
            endpoint.template.split(separator: "/").map { $0.first == "{" ? 0 : 1 }
        }
        return fitting.max { words($0).lexicographicallyPrecedes(words($1)) }.map(AdminRoutes.route)
    }
}
