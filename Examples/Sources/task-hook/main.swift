import Foundation
import TaskList

// A webhook: whoever knows the secret adds tasks by HTTP. See Examples/README.md.
//
//   curl -H "Authorization: Bearer $TASKS_SECRET" -d '{"title":"Look at the failed build"}' localhost:8080/tasks

struct NewTask: Decodable {
    var title: String
}

/// Takes as long for a wrong secret as for the right one.
func isSame(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
}

@Sendable func answer(
    _ request: SmallHTTPServer.Request, _ tasks: TaskList, _ secret: String
) async -> SmallHTTPServer.Answer {
    guard request.method == "POST", request.path == "/tasks" else {
        return .init(status: 404, text: "POST /tasks is all there is.")
    }
    guard isSame(request.headers["authorization"] ?? "", "Bearer \(secret)") else {
        return .init(status: 401, text: "The secret is not the right one.")
    }
    guard let new = try? JSONDecoder().decode(NewTask.self, from: request.body), !new.title.isEmpty else {
        return .init(status: 400, text: #"Send {"title":"..."}."#)
    }
    do {
        return .init(status: 201, text: try await tasks.add(new.title))
    } catch {
        // What the node said is for the log, not for the caller.
        FileHandle.standardError.write(Data("task-hook: \(error.localizedDescription)\n".utf8))
        return .init(status: 502, text: "The task could not be written. Nothing is known about whether it was.")
    }
}

// Whoever leaves before the answer is written must not end the process.
signal(SIGPIPE, SIG_IGN)
do {
    guard let secret = ProcessInfo.processInfo.environment["TASKS_SECRET"], secret.utf8.count >= 16 else {
        throw SetupError("TASKS_SECRET has to be at least 16 bytes")
    }
    let tasks = try await Connecting.fromEnvironment()
    let port = CommandLine.arguments.dropFirst().first.flatMap(UInt16.init) ?? 8080
    let server = try SmallHTTPServer(port: port)
    server.serve { await answer($0, tasks, secret) }
    print("http://127.0.0.1:\(server.port)/tasks")
    fflush(nil)
    while true { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
} catch {
    FileHandle.standardError.write(Data("task-hook: \(error.localizedDescription)\n".utf8))
    exit(1)
}
