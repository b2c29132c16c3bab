package io.headgate.bench.pictures;

import io.headgate.bench.pictures.ModeRun.Mode;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headgate bench modes}: how much three instances admit in each mode, and how many calls they need. */
@Command(
        name = "modes",
        description = {
            "Runs three instances that request permits of one key, on a Redis that it starts, in each mode. Draws what they admit.",
            "It takes about ten seconds."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "What the modes are: docs/fewer-calls.md"})
public final class ModesCommand implements Callable<Integer> {

    @Option(names = "--out", paramLabel = "FILE", required = true, description = "Write the picture there, as SVG.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path out;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Called by picocli. */
    public ModesCommand() {}

    @Override
    public Integer call() throws IOException {
        PrintWriter terminal = spec.commandLine().getOut();
        List<ModeRun> runs = new ArrayList<>();
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            for (Mode mode : Mode.values()) {
                runs.add(ModeRun.measure(mode, redis.url(), probe));
                print(terminal, runs.get(runs.size() - 1));
            }
        }
        Files.createDirectories(Objects.requireNonNull(out.toAbsolutePath().getParent()));
        Files.writeString(out, new ModesPicture(runs).draw());
        terminal.println("headgate bench modes: drawn in " + out);
        terminal.flush();
        return CommandLine.ExitCode.OK;
    }

    private static void print(PrintWriter terminal, ModeRun run) {
        terminal.printf(
                Locale.ROOT,
                "%-15s  %6d requested  %6d admitted  %5d of %d in any %d ms at most  %6d calls%n",
                run.name(),
                run.requests(),
                run.admissions().size(),
                ModesPicture.mostInAWindow(run),
                ModeRun.PERMITS,
                ModeRun.WINDOW.toMillis(),
                run.calls());
        terminal.flush();
    }
}
