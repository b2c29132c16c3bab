package io.headgate.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The command that starts a program with a wrong clock by libfaketime: {@code +1h}, {@code -90s}, or a date and a time at which the
 * clock stands still.
 *
 * <p>It does not use the program {@code faketime}, which names its shared memory after its process id, does not remove it when it is
 * killed, and does not start if such memory exists. This command first removes memory with the id of the new process, which no
 * living process can use.
 */
public final class WrongClock {

    private static final List<Path> LIBRARIES = Stream.of("x86_64-linux-gnu/", "aarch64-linux-gnu/", "")
            .map(folder -> Path.of("/usr/lib/" + folder + "faketime/libfaketime.so.1"))
            .toList();

    private static final String FORGET = "rm -f /dev/shm/sem.faketime_sem_$$ /dev/shm/faketime_shm_$$; ";

    private static final String START =
            FORGET + "library=$1; time=$2; shift 2; exec env LD_PRELOAD=\"$library\" FAKETIME=\"$time\" \"$@\"";
    private static final String FOLLOW = FORGET
            + "library=$1; file=$2; shift 2; exec env LD_PRELOAD=\"$library libc.so.6\" FAKETIME_TIMESTAMP_FILE=\"$file\""
            + " FAKETIME_NO_CACHE=1 \"$@\"";

    private WrongClock() {}

    /** Whether libfaketime is installed. */
    public static boolean isAvailable() {
        return LIBRARIES.stream().anyMatch(Files::isRegularFile);
    }

    /** The words before the program and its arguments. */
    public static List<String> command(String time) {
        return List.of("sh", "-c", START, "sh", library(), time);
    }

    /**
     * The words before the program, for a clock whose offset is the content of a file, such as {@code +3600} for an hour. The clock
     * jumps when the file changes. The program uses the allocator of the C library: jemalloc reads the time before libfaketime is
     * ready.
     */
    public static List<String> following(Path file) {
        return List.of("sh", "-c", FOLLOW, "sh", library(), file.toString());
    }

    private static String library() {
        return LIBRARIES.stream()
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("libfaketime is in none of " + LIBRARIES))
                .toString();
    }
}
