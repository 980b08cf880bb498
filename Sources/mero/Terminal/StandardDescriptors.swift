import Foundation

/// The three streams that every process expects to have.
enum StandardDescriptors {
    /// Takes the places of those that are closed (`mero ... >&-`), so that what is written to them does not land in the next file
    /// that is opened.
    ///
    /// Nothing can be written to the place of standard output, which ends the command as a reader does that left: an answer
    /// that nobody gets is no success. Remarks on standard error are just lost.
    static func fill() {
        for (descriptor, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)] {
            guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
            let opened = open("/dev/null", mode)
            // The lowest free number is taken, which is this one, since those below it are open.
            if opened != descriptor, opened >= 0 {
                dup2(opened, descriptor)
                close(opened)
            }
        }
    }
}
