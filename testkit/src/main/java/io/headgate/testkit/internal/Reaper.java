package io.headgate.testkit.internal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A small process that outlives this JVM. If this JVM ends without cleaning up, as after SIGKILL, the reaper kills one process and
 * deletes one folder.
 *
 * <p>It is a shell that reads its standard input, a pipe from this JVM. Each line is the id of the process to kill, or {@value #NONE},
 * or {@value #DONE}, which ends the shell. When this JVM dies for any reason, the system closes the pipe, and the shell reads the end of
 * its input. The shell ignores the signals of a terminal. If {@code setsid} is installed, it has its own session, so that a signal to
 * the process group of this JVM does not reach it.
 */
final class Reaper implements AutoCloseable {

    private static final String NONE = "none";
    private static final String DONE = "done";

    /** The program of the shell; $1 is the folder, or empty. It deletes the folder after the end of the process that writes to it. */
    private static final String SCRIPT = """
            trap '' HUP INT TERM
            process=none
            while read -r line; do
              [ "$line" != done ] || exit 0
              process=$line
            done
            if [ "$process" != none ] && kill -9 "$process" 2>/dev/null; then
              tries=0
              while kill -0 "$process" 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
            fi
            [ -z "$1" ] || rm -rf -- "$1"
            """;

    private static final List<Path> SETSID = List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

    private final Process shell;
    private Optional<Process> watched = Optional.empty();

    private Reaper(Process shell) {
        this.shell = shell;
    }

    /**
     * Starts a reaper.
     *
     * @param folder the folder to delete, if there is one
     */
    static Reaper start(Optional<Path> folder) throws IOException {
        List<String> command = new ArrayList<>();
        SETSID.stream().filter(Files::isExecutable).findFirst().ifPresent(setsid -> command.add(setsid.toString()));
        command.addAll(List.of(
                "/bin/sh",
                "-c",
                SCRIPT,
                Processes.REAPER,
                folder.map(path -> path.toAbsolutePath().toString()).orElse("")));
        return new Reaper(new ProcessBuilder(command)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start());
    }

    /** Sets the process to kill. When it ends, the reaper forgets its id, which the system may reuse. */
    synchronized void watch(Process process) {
        watched = Optional.of(process);
        send(Long.toString(process.pid()));
        process.onExit().thenRun(() -> forget(process));
    }

    private synchronized void forget(Process process) {
        if (watched.equals(Optional.of(process))) {
            send(NONE);
        }
    }

    /** Ends the reaper, which kills and deletes nothing. */
    @Override
    public synchronized void close() {
        send(DONE);
        Processes.exited(shell, Processes.TIMEOUT);
    }

    private void send(String line) {
        try {
            shell.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            shell.getOutputStream().flush();
        } catch (IOException e) {
            return; // it has ended
        }
    }
}
