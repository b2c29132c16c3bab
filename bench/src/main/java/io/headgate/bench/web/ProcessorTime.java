package io.headgate.bench.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The processor time that a JVM has used, in nanoseconds. On Linux it is read for each thread, as that of the whole process is only exact
 * to 10 ms.
 *
 * @param work the time of all threads but the compilers
 * @param compilers the time of the just-in-time compilers; 0 where it is not known, and then part of {@code work}
 */
record ProcessorTime(long work, long compilers) {

    /** The names of compiler threads, of which Linux keeps 15 characters. */
    private static final String COMPILER = "CompilerThre";

    static ProcessorTime of(long pid) {
        Path threads = Path.of("/proc/" + pid + "/task");
        return Files.isReadable(threads.resolve(pid + "/schedstat")) ? ofThreads(threads) : ofProcess(pid);
    }

    private static ProcessorTime ofProcess(long pid) {
        return new ProcessorTime(
                ProcessHandle.of(pid)
                        .flatMap(process -> process.info().totalCpuDuration())
                        .map(Duration::toNanos)
                        .orElseThrow(() -> new IllegalStateException("process " + pid + " does not run")),
                0);
    }

    private static ProcessorTime ofThreads(Path threads) {
        long work = 0;
        long compilers = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
            for (Path thread : all) {
                try {
                    String name = Files.readString(thread.resolve("comm"));
                    String times = Files.readString(thread.resolve("schedstat"));
                    long nanos = Long.parseLong(times.substring(0, times.indexOf(' ')));
                    if (name.contains(COMPILER)) {
                        compilers += nanos;
                    } else {
                        work += nanos;
                    }
                } catch (NoSuchFileException e) {
                    // The thread has ended.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ProcessorTime(work, compilers);
    }

    ProcessorTime since(ProcessorTime then) {
        return new ProcessorTime(work - then.work, compilers - then.compilers);
    }

    /** The share of the compilers in all processor time. */
    double compiling() {
        return work + compilers <= 0 ? 0 : (double) compilers / (work + compilers);
    }
}
