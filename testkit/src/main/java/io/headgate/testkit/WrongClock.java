package io.headgate.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The command that starts a program with a wrong clock by libfaketime. The clock has an offset, such as {@code +1h} or {@code -90s}, or
 * stands still at a date and time.
 *
 * <p>The command does not use the program {@code faketime}. The library names its shared memory after its process id, leaves it behind
 * when the process is killed, and then does not start in a process with the same id. The command here first removes memory with the id
 * of the new process; no living process can use it.
 */
public final class WrongClock {

    private static final List<Path> LIBRARIES = Stream.of("x86_64-linux-gnu/", "aarch64-linux-gnu/", "")
            .map(folder -> Path.of("/usr/lib/" + folder + "faketime/libfaketime.so.1"))
            .toList();

    private static final String CLEANUP = "rm -f /dev/shm/sem.faketime_sem_$$ /dev/shm/faketime_shm_$$; ";

    private static final String START =
            CLEANUP + "library=$1; time=$2; shift 2; exec env LD_PRELOAD=\"$library\" FAKETIME=\"$time\" \"$@\"";
    private static final String START_FOLLOWING = CLEANUP
            + "library=$1; file=$2; shift 2; exec env LD_PRELOAD=\"$library libc.so.6\" FAKETIME_TIMESTAMP_FILE=\"$file\""
            + " FAKETIME_NO_CACHE=1 \"$@\"";

    private WrongClock() {}

    /** Whether libfaketime is installed. */
    public static boolean isAvailable() {
        return LIBRARIES.stream().anyMatch(Files::isRegularFile);
    }

    /**
     * The command to put before a program and its arguments, for a clock with this offset or time.
     *
     * @param time an offset such as {@code +1h}, or a local time such as {@code 2027-01-15 08:00:00}
     * @throws IllegalStateException when libfaketime is not installed
     */
    public static List<String> command(String time) {
        return List.of("sh", "-c", START, "sh", library(), time);
    }

    /**
     * The command to put before a program and its arguments, for a clock whose offset is the content of a file, such as {@code +3600} for
     * an hour. The clock jumps when the file changes. The program uses the allocator of the C library, because jemalloc reads the time
     * before libfaketime is ready.
     *
     * @throws IllegalStateException when libfaketime is not installed
     */
    public static List<String> following(Path file) {
        return List.of("sh", "-c", START_FOLLOWING, "sh", library(), file.toString());
    }

    private static String library() {
        return LIBRARIES.stream()
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("libfaketime is in none of " + LIBRARIES))
                .toString();
    }
}
