import Foundation
import MeroKit
import TaskList

// A task list for several people, from the command line: see Examples/README.md.

func show(_ tasks: [(id: String, task: TaskItem)]) {
    for (number, entry) in tasks.enumerated() {
        print("\(number + 1). [\(entry.task.isDone ? "x" : " ")] \(entry.task.title)")
    }
    if tasks.isEmpty { print("Nothing to do.") }
    print("--")
    fflush(nil)
}

do {
    let words = CommandLine.arguments.dropFirst()
    let tasks = try await Connecting.fromEnvironment()
    switch (words.first, words.dropFirst().joined(separator: " ")) {
    case ("add", let title) where !title.isEmpty:
        try await tasks.add(title)
        show(try await tasks.all())
    case ("done", let number):
        let all = try await tasks.all()
        guard let index = Int(number), all.indices.contains(index - 1), try await tasks.finish(all[index - 1].id) else {
            throw SetupError("There is no task \(number)")
        }
        show(try await tasks.all())
    case ("watch", ""): try await tasks.watch(show)
    case ("list", ""), (nil, ""): show(try await tasks.all())
    default: throw SetupError("usage: task-list [list | add TITLE | done NUMBER | watch]")
    }
} catch {
    // The contract's or the node's own words, where there are some.
    let reason = (error as? MeroError)?.failureReason ?? error.localizedDescription
    FileHandle.standardError.write(Data("task-list: \(reason)\n".utf8))
    exit(1)
}
