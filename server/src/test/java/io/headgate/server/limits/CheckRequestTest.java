package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.server.http.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckRequestTest {

    @Test
    void all_members_are_read() {
        assertThat(parse("{\"policy\": \"api\", \"attributes\": {\"user\": \"ä\\u0000\"}, \"permits\": 3}"))
                .isEqualTo(new CheckRequest("api", Map.of("user", "ä\u0000"), 3));
    }

    @Test
    void only_the_policy_is_required() {
        assertThat(parse("{\"policy\": \"api\"}")).isEqualTo(new CheckRequest("api", Map.of(), 1));
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            `` | was empty
            [] | was an array
            null | was null
            {} | policy must be a string, was absent
            {"policy": 7} | policy must be a string, was a number
            {"policy": "a", "permit": 1} | unknown member "permit"; allowed are policy, attributes, permits
            {"policy": "a", "policy": "b"} | not JSON, line 1, column 25
            {"policy": "a", "permits": 0} | permits must be a whole number from 1 to 9223372036854775807, was 0
            {"policy": "a", "permits": -1} | was -1
            {"policy": "a", "permits": 1.5} | was 1.5
            {"policy": "a", "permits": "1"} | was a string
            {"policy": "a", "permits": null} | was null
            {"policy": "a", "permits": 9223372036854775808} | was 9223372036854775808
            {"policy": "a", "attributes": []} | attributes must be an object of strings, was an array
            {"policy": "a", "attributes": {"user": 1}} | attribute "user" must be a string, was a number
            {"policy": "\\ud800"} | policy has half of a surrogate pair
            {"policy": "a", "attributes": {"user": "\\udc00x"}} | attribute "user" has half of a surrogate pair
            {"policy": "a", "attributes": {"\\ud800": "x"}} | the body is not JSON, line 1, column
            {"policy": "a"} x | not JSON, line 1, column
            {"policy": "a" | not JSON, line 1, column
            {'policy': 'a'} | not JSON, line 1, column 2
            """)
    void an_error_names_the_wrong_member_or_its_position(String body, String message) {
        assertThatThrownBy(() -> parse(body))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("Source")
                .hasMessageNotContaining("jackson");
    }

    @Test
    void json_that_is_too_deep_is_refused() {
        assertThatThrownBy(() -> parse("{\"attributes\": " + "[".repeat(30_000)))
                .isInstanceOf(ProblemException.class)
                .hasMessageStartingWith("the JSON is nested deeper than 16");
    }

    @Test
    void a_number_of_a_thousand_digits_is_refused() {
        assertThatThrownBy(() -> parse("{\"policy\": \"a\", \"permits\": " + "9".repeat(1000) + "}"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("a number that is too long");
    }

    @Test
    void a_number_with_a_huge_exponent_is_rejected_without_expanding_it() {
        assertThatThrownBy(() -> parse("{\"policy\": \"a\", \"permits\": 1e999999999}"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("permits must be a whole number");
    }

    @Test
    void bytes_that_are_not_utf_8_are_refused() {
        byte[] body = "{\"policy\": \"?\"}".getBytes(StandardCharsets.UTF_8);
        body[12] = (byte) 0xff; // in place of the question mark

        assertThatThrownBy(() -> CheckBody.parse(body))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("not JSON");
    }

    private static CheckRequest parse(String body) {
        CheckBody parsed = CheckBody.parse(body.getBytes(StandardCharsets.UTF_8));
        assertThat(parsed.isCombined()).isFalse();
        return parsed.checks().get(0);
    }
}
