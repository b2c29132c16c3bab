package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.server.cli.StartException;
import io.headgate.server.http.BearerToken;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both tokens of serve are set and checked in the same way. */
class TokenOptionTest {

    private static final String TOKEN = "sixteen-or-more-characters";

    @ParameterizedTest
    @CsvSource({"--refund-token, HEADGATE_REFUND_TOKEN", "--operator-token, HEADGATE_OPERATOR_TOKEN"})
    void a_token_comes_from_an_option_a_file_or_a_variable(String name, String variable, @TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(folder.resolve("token"), TOKEN + "\n");

        assertGiven(TokenOption.find(name, Optional.of(TOKEN), Optional.empty(), Map.of()));
        assertGiven(TokenOption.find(name, Optional.empty(), Optional.of(file), Map.of()));
        assertGiven(TokenOption.find(name, Optional.empty(), Optional.empty(), Map.of(variable, TOKEN)));
        assertGiven(TokenOption.find(name, Optional.of(TOKEN), Optional.empty(), Map.of(variable, "x")));
        assertThat(TokenOption.find(name, Optional.empty(), Optional.empty(), Map.of(variable, " ")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"--refund-token, HEADGATE_REFUND_TOKEN", "--operator-token, HEADGATE_OPERATOR_TOKEN"})
    void an_invalid_token_is_refused_and_not_repeated(String name, String variable, @TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "short");
        String rule = ": a token must be 16 to 256 visible ASCII characters";

        assertRefused(name + rule, name, Optional.of("short"), Optional.empty(), Map.of());
        assertRefused(
                name + "-file " + Quoted.of(file.toString()) + rule,
                name,
                Optional.empty(),
                Optional.of(file),
                Map.of());
        assertRefused(
                "variable " + variable + rule, name, Optional.empty(), Optional.empty(), Map.of(variable, "short"));
        assertRefused(
                "give either " + name + " or " + name + "-file", name, Optional.of(TOKEN), Optional.of(file), Map.of());
    }

    private static void assertGiven(Optional<BearerToken> token) {
        assertThat(token).hasValueSatisfying(given -> assertThat(given.isIn("Bearer " + TOKEN))
                .isTrue());
    }

    private static void assertRefused(
            String message, String name, Optional<String> given, Optional<Path> file, Map<String, String> environment) {
        assertThatThrownBy(() -> TokenOption.find(name, given, file, environment))
                .isInstanceOf(StartException.class)
                .hasMessage(message);
    }
}
