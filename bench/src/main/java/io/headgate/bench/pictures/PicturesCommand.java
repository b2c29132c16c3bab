package io.headgate.bench.pictures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headgate bench pictures}: draws the pictures of the guides. */
@Command(
        name = "pictures",
        description = "Draws what each limit admits under the same traffic, by the decisions of the engine in memory.",
        mixinStandardHelpOptions = true,
        footer = {"", "Where the pictures are shown: docs/choosing.md"})
public final class PicturesCommand implements Callable<Integer> {

    @Option(names = "--out", paramLabel = "FOLDER", required = true, description = "Write the SVG files there.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path out;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Called by picocli. */
    public PicturesCommand() {}

    @Override
    public Integer call() throws IOException {
        Files.createDirectories(out);
        for (Map.Entry<String, String> picture : Pictures.draw().entrySet()) {
            Files.writeString(out.resolve(picture.getKey()), picture.getValue());
            spec.commandLine().getOut().println(out.resolve(picture.getKey()));
        }
        spec.commandLine().getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
