package io.headgate.bench.pictures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The picture of the modes: no mode admits more than the limit, and the leased mode needs fewer calls than requests. */
class ModesCommandIT {

    private static final Pattern LINE =
            Pattern.compile("(\\d+) requested +(\\d+) admitted +(\\d+) of 1000 in any 500 ms at most +(\\d+) calls");

    @Test
    void each_mode_is_drawn_and_admits_at_most_the_limit(@TempDir Path folder) throws Exception {
        Path picture = folder.resolve("new").resolve("modes.svg");
        StringWriter output = new StringWriter();
        CommandLine line = new CommandLine(new ModesCommand()).setOut(new PrintWriter(output));
        assertThat(line.execute("--out", picture.toString())).isZero();
        List<MatchResult> modes = LINE.matcher(output.toString()).results().toList();
        assertThat(modes).hasSize(3).allSatisfy(mode -> {
            assertThat(number(mode, 2)).isBetween(1L, number(mode, 1));
            assertThat(number(mode, 3)).isBetween(1L, 1000L);
        });
        assertThat(number(modes.get(0), 4)).isEqualTo(number(modes.get(0), 1));
        assertThat(number(modes.get(2), 4)).isLessThan(number(modes.get(0), 4));
        assertThat(Files.readString(picture)).contains("A call for each", "Exact", "Leased", "at most");
    }

    private static long number(MatchResult mode, int group) {
        return Long.parseLong(mode.group(group));
    }
}
