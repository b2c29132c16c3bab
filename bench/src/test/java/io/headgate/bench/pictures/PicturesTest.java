package io.headgate.bench.pictures;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.SlidingWindow;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import picocli.CommandLine;

/** The pictures of the guides are up to date and readable. */
class PicturesTest {

    private static final Path FOLDER = Path.of("..", "docs", "pictures");
    private static final SortedMap<String, String> DRAWN = Pictures.draw();
    private static final Pattern TEXT =
            Pattern.compile("<text class=\"([^\"]*)\" x=\"([0-9.]+)\" y=\"[0-9.]+\">([^<]*)</text>");

    static Stream<String> names() {
        return DRAWN.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("names")
    void a_picture_of_the_guides_is_equal_to_the_drawn_one(String name) {
        assertThat(FOLDER.resolve(name))
                .as("stale? ./headgate bench pictures --out docs/pictures")
                .hasContent(drawn(name));
    }

    @Test
    void the_command_writes_all_pictures(@TempDir Path home) {
        Path folder = home.resolve("pictures");
        CommandLine line = new CommandLine(new PicturesCommand()).setOut(new PrintWriter(new StringWriter()));
        assertThat(line.execute("--out", folder.toString())).isZero();
        assertThat(DRAWN.keySet())
                .allSatisfy(name -> assertThat(folder.resolve(name)).hasContent(drawn(name)));
    }

    @Test
    void the_folder_has_no_other_picture() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(DRAWN.keySet());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void a_picture_is_small_and_has_a_title_and_a_description(String name) throws Exception {
        String picture = drawn(name);
        assertThat(picture.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(15_000);
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(picture)));
        for (String words : List.of("title", "desc")) {
            assertThat(document.getElementsByTagName(words).item(0).getTextContent())
                    .hasSizeGreaterThan(20);
        }
    }

    /** Estimates widths by the widest of the usual fonts, in which a letter is about two thirds as wide as it is high. */
    @ParameterizedTest
    @MethodSource("names")
    void no_text_leaves_its_picture_or_its_column(String name) {
        List<MatchResult> texts = TEXT.matcher(drawn(name)).results().toList();
        assertThat(texts).hasSizeGreaterThan(5);
        for (MatchResult text : texts) {
            String style = text.group(1);
            double x = Double.parseDouble(text.group(2));
            double size = style.startsWith("small") ? 10 : style.startsWith("title") ? 16 : 12;
            double width = text.group(3).length() * size * 0.66;
            boolean named = style.equals("name") || (style.equals("soft") && x == 16);
            assertThat(style.contains("end") ? x : style.contains("mid") ? x + width / 2 : x + width)
                    .as(text.group(3))
                    .isLessThan(named ? 220 : 760);
        }
    }

    @Test
    void a_sliding_window_admits_at_most_the_limit_in_any_minute_and_other_limits_at_most_twice_the_limit() {
        for (MinutesPicture picture : List.of(Pictures.steady(), Pictures.bursts(), Pictures.hammering())) {
            List<Integer> most = mostInAMinute(picture);
            for (int i = 0; i < most.size(); i++) {
                boolean exact = picture.lanes().get(i).rule().limit() instanceof SlidingWindow;
                assertThat(most.get(i))
                        .as(picture.title() + ": " + picture.lanes().get(i).name())
                        .isLessThanOrEqualTo(exact ? picture.permits() : 2 * picture.permits());
            }
        }
    }

    @Test
    void the_pictures_have_the_figures_that_the_guide_quotes() {
        assertThat(mostInAMinute(Pictures.steady())).containsExactly(16, 10, 10, 12, 19);
        assertThat(mostInAMinute(Pictures.bursts())).containsExactly(19, 19, 10, 17, 19);
    }

    @Test
    void a_leaky_bucket_as_a_meter_decides_like_a_token_bucket() {
        DelayPicture picture = Pictures.leakyBucket();
        List<Simulation> simulations = picture.lanes().stream()
                .map(lane -> Simulation.of(lane.rule(), picture.times()))
                .toList();
        assertThat(simulations.get(1)).isEqualTo(simulations.get(0));
    }

    private static List<Integer> mostInAMinute(MinutesPicture picture) {
        return picture.lanes().stream()
                .map(lane -> Simulation.of(lane.rule(), picture.times()).mostIn(Duration.ofMinutes(1)))
                .toList();
    }

    private static String drawn(String name) {
        return Objects.requireNonNull(DRAWN.get(name), name);
    }
}
