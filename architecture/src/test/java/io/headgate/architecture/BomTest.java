package io.headgate.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The list of versions that users import must not change those of Spring Boot. */
class BomTest {

    private static final Pattern GROUP = Pattern.compile("<groupId>(.*?)</groupId>");

    @Test
    void the_bom_manages_artifacts_of_headgate_only_and_imports_none() throws Exception {
        String pom = Files.readString(Path.of("../bom/pom.xml"));
        assertThat(GROUP.matcher(pom).results().map(group -> group.group(1)).distinct())
                .containsExactly("io.headgate");
        assertThat(pom).doesNotContain("<scope>import</scope>", "<parent>");
    }
}
