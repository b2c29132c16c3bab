package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The files in the guides are read, or rejected, as the guides state. */
class PolicyGuideTest {

    private static final Pattern BLOCK = Pattern.compile("```(yaml|text)\n(.*?)```", Pattern.DOTALL);

    @Test
    void each_file_in_the_guide_is_read_unless_its_errors_follow_it() throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(Path.of("../docs/policies.md")));
        int read = 0;
        int refused = 0;
        String file = "";
        while (block.find()) {
            if (block.group(1).equals("text")) {
                String expected = block.group(2).strip();
                assertThat(Refusal.of(file).replace("p.yaml", "policies.yaml")).isEqualTo(expected);
                file = "";
                refused++;
            } else {
                read += readIfAny(file);
                file = block.group(2);
            }
        }
        read += readIfAny(file);
        assertThat(read).isEqualTo(2);
        assertThat(refused).isEqualTo(2);
    }

    @Test
    void the_policies_of_the_guide_to_choosing_are_valid() throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(Path.of("../docs/choosing.md")));
        assertThat(block.find()).isTrue();
        assertThat(PolicyFile.parse(block.group(2), "choosing.yaml").names())
                .containsExactly("login", "sms", "payments", "provider", "reports");
    }

    private static int readIfAny(String file) {
        if (file.isEmpty()) {
            return 0;
        }
        if (file.contains("${")) {
            Policies withDefaults = PolicyFile.parseWithIncludes(file, "variables.yaml", Map.of());
            assertThat(withDefaults.names()).containsExactly("checkout");
            return 1;
        }
        Policies policies = PolicyFile.parse(file, "policies.yaml");
        assertThat(policies.names()).containsExactly("checkout", "sms", "login", "partner");
        assertThat(policies.inFlight("exports").rules()).hasSize(2);
        return 1;
    }
}
