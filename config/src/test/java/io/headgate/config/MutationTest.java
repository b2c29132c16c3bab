package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A valid file with random damage is read or rejected, without any other exception. */
class MutationTest {

    private static final Path EVERY_KEY = Path.of("src/test/resources/io/headgate/config/every-key.yaml");
    private static final int MUTANTS = 3000;
    private static final List<String> PIECES = List.of(
            "\t",
            "\n",
            "\r",
            " ",
            "  ",
            ":",
            ": ",
            "- ",
            "? ",
            "{",
            "}",
            "[",
            "]",
            ",",
            "#",
            "&a ",
            "*a",
            "!x ",
            "!!int ",
            "|",
            ">",
            "|9",
            "'",
            "\"",
            "\\",
            "\\U",
            "%YAML 9.9\n",
            "---\n",
            "...\n",
            "<<",
            "~",
            "null",
            "0",
            "-1",
            "_000",
            "9999999999999999999999",
            "per",
            "PT",
            "P1D",
            "true",
            "+99:99",
            "UTC+",
            "Europe/",
            "\u0000",
            "\ufeff",
            "\ud800",
            "\u2028",
            "\ud83d\ude00");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void a_damaged_text_is_read_or_rejected(long seed) throws IOException {
        String good = Files.readString(EVERY_KEY);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < MUTANTS; i++) {
            refused += isRejected(() -> PolicyFile.parse(damaged(good, random), "p.yaml")) ? 1 : 0;
        }
        assertThat(refused).isBetween(MUTANTS / 2, MUTANTS - 1);
    }

    @Test
    void damaged_bytes_are_read_or_rejected(@TempDir Path folder) throws IOException {
        byte[] good = Files.readAllBytes(EVERY_KEY);
        Path file = folder.resolve("damaged.yaml");
        Random random = new Random(5);
        int refused = 0;
        for (int i = 0; i < 1000; i++) {
            byte[] damaged = good.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            Files.write(file, damaged);
            refused += isRejected(() -> PolicyFile.read(file)) ? 1 : 0;
        }
        assertThat(refused).isBetween(500, 999);
    }

    private static String damaged(String good, Random random) {
        StringBuilder text = new StringBuilder(good);
        for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
            int at = random.nextInt(text.length());
            int end = Math.min(text.length(), at + 1 + random.nextInt(12));
            switch (random.nextInt(4)) {
                case 0 -> text.delete(at, end);
                case 1 -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
                case 2 -> text.insert(random.nextInt(text.length()), text.substring(at, end));
                default -> text.setCharAt(at, (char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
            }
        }
        return text.toString();
    }

    private static boolean isRejected(Supplier<Policies> read) {
        try {
            assertThat(read.get()).isNotEmpty();
            return false;
        } catch (ConfigException e) {
            assertThat(e.problems())
                    .isNotEmpty()
                    .allMatch(problem -> problem.matches(".+\\.yaml:[0-9]+:[0-9]+: [^\\n]+"));
            return true;
        }
    }
}
