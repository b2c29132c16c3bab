package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line, as far as it ends by itself. */
class MainTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"--help", "serve --help", "demo --help"})
    void help_is_printed_and_is_a_success(String line) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).contains("Usage: headgate").doesNotContain("DEFAULT-VALUE", "null");
    }

    @Test
    void the_version_is_printed() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString()).startsWith("headgate ");
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                      | say what to do: serve or demo
            dig                                     | Unmatched argument at index 0: 'dig'
            serve                                   | Missing required option: '--policies=FILE'
            serve --policies FILE --port 65536      | --port must be from 0 to 65535, was 65536
            serve --policies FILE --port x          | Invalid value for option '--port'
            serve --policies FILE --bind nowhere.invalid | --bind must be an address of this machine
            serve --policies FILE --max-connections 0    | --max-connections must be from 1 to 1000000, was 0
            serve --policies FILE --drain-delay 3h       | is not a time from 0ms to 60m
            serve --policies FILE --redis-timeout 5s     | '--redis-timeout': "5s" is not a time from 1ms to 4s such as 250ms
            serve --policies FILE --redis-timeout 0ms    | '--redis-timeout': "0ms" is not a time from 1ms to 4s
            serve --policies FILE --redis-timeout 1s     | --redis-timeout is of no use without --redis
            serve --policies FILE --key-prefix hg        | --key-prefix is of no use without --redis
            serve --policies FILE --colour red           | Unknown options: '--colour', 'red'
            demo --seconds 0                        | --seconds must be from 1 to 86400, was 0
            demo --port -1                          | --port must be from 0 to 65535, was -1
            """)
    void a_wrong_command_line_is_2_and_says_what_is_wrong_and_where_help_is(String line, String message) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("headgate: ")
                .contains(message)
                .contains("--help")
                .doesNotContain("Exception");
        assertThat(err.toString().lines()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            serv                                  | Did you mean: headgate serve?
            serve --policies FILE --drain-dely 1s | Possible solutions: --drain-delay
            """)
    void what_is_almost_right_is_answered_with_what_is(String line, String meant) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(err.toString()).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"help, Usage: headgate [-hV] COMMAND", "help serve, Usage: headgate serve"})
    void help_may_be_asked_for_as_a_command(String line, String usage) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).contains(usage);
    }

    @Test
    void a_port_that_is_taken_is_1_and_is_tried_before_redis() {
        try (TestServer other = new TestServer()) {
            int port = other.server.address().getPort();

            assertThat(run("serve --policies ../examples/policies.yaml --redis redis://127.0.0.1:1 --port " + port))
                    .isEqualTo(1);
            assertThat(err.toString())
                    .isEqualToIgnoringNewLines(
                            "headgate: port " + port + " is in use at 127.0.0.1; choose another with --port");
        }
    }

    private int run(String line) {
        List<String> arguments = new ArrayList<>(List.of(line.split(" ")));
        arguments.remove("");
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new));
    }
}
