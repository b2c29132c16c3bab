package io.headgate.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The command that starts a program by a clock that is wrong, where libfaketime is installed: {@code +1h},
 * {@code -90s}, or a date and a time at which it then stands still.
 *
 * <p>Not by the program {@code faketime}: that names the memory it shares after its process id, leaves it behind when it
 * is killed, and does not start where another has left some under its id. Here what bears the id of the process that is
 * about to start is nobody's any more, and goes first.
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

    /** Whether a program can be started so on this machine. */
    public static boolean isAvailable() {
        return LIBRARIES.stream().anyMatch(Files::isRegularFile);
    }

    /** What comes before the program and its arguments. */
    public static List<String> command(String time) {
        return List.of("sh", "-c", START, "sh", library(), time);
    }

    /**
     * The same by a clock that is as wrong as a file says, such as {@code +3600} for an hour, and jumps whenever that is written anew.
     * Memory is had from the C library: an allocator that asks what time it is, as jemalloc does, asks before the clock is there.
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
