package io.headgate.config.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsistentFilesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private Path write(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
    }

    /** The included files are compared in a second read, which is no sign of a change. */
    @Test
    void a_first_read_that_is_slow_is_repeated_for_the_included_files() throws IOException {
        Path file = write("p.yaml", "include: [a.yaml]");
        write("a.yaml", "include: [b.yaml]");
        write("b.yaml", "policies: {}");
        assertThat(new ConsistentFiles(file, Map.of(), Duration.ZERO).read().files())
                .hasSize(3);
    }

    @Test
    void a_text_that_did_not_change_is_parsed_once() throws IOException {
        Map<Path, String> root = Map.of(
                write("p.yaml", "include: [a.yaml]"), folder.resolve("p.yaml").toString());
        write("a.yaml", "policies: '${A}'");
        LocalFiles first = new LocalFiles(Map.of());
        first.read(root);
        LocalFiles second = new LocalFiles(Map.of(), first.references());
        assertThat(second.read(root).names()).containsExactly("A");
        assertThat(second.references()).hasSize(2).allSatisfy((digest, references) -> assertThat(references)
                .isSameAs(first.references().get(digest)));
    }
}
