package io.headgate.server.holds;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.server.TestServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Invalid requests for holds are rejected with an explanation, and take nothing. */
class HoldsErrorsTest {

    private static final TestServer server = new TestServer(
            TestServer.settings(Duration.ZERO),
            Policies.of(
                    List.of(TestServer.API),
                    List.of(InFlightPolicy.named("exports")
                            .rule("per-user", 1, Attributes.USER)
                            .build())));

    @AfterAll
    static void close() {
        server.close();
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            holds         | {"policy": "exports", "attributes": {}}                                           | 400 | rule per-user counts by \\"user\\", which the request does not have; it has []
            holds         | {"policy": "exports", "attributes": {"user": "a"}, "permits": 101}                | 400 | permits must be a whole number from 1 to 100, was 101
            holds         | {"policy": "exports", "attributes": {"user": "a"}, "leaseSeconds": 0.5}           | 400 | leaseSeconds must be a number from 1 to 3600 with at most 3 decimals, was \\"0.5\\"
            holds         | {"policy": "exports", "attributes": {"user": "a"}, "leaseSeconds": 1.0005}        | 400 | leaseSeconds must be a number from 1 to 3600 with at most 3 decimals, was \\"1.0005\\"
            holds         | {"policy": "exports", "attributes": {"user": "a"}, "leaseSeconds": 1e99}          | 400 | leaseSeconds must be a number from 1 to 3600
            holds         | {"policy": "exports", "attributes": {"user": "a"}, "leaseSeconds": "30"}          | 400 | leaseSeconds must be a number, was a string
            holds         | {"policy": "exports", "attributes": {"user": "a"}, "maxWaitSeconds": 10.001}      | 400 | maxWaitSeconds must be a number from 0 to 10
            holds         | {"policy": "exports", "attributes": {"user": "a"}, "wait": 1}                     | 400 | unknown member \\"wait\\"; allowed are policy, attributes, permits, leaseSeconds, maxWaitSeconds
            holds         | {"policy": "imports"}                                                             | 404 | no policy is named \\"imports\\"; /v1/status lists them
            holds         | {"policy": "api"}                                                                 | 404 | policy api has no in-flight limits; send the request to /v1/check
            check         | {"policy": "exports"}                                                             | 404 | policy exports has in-flight limits; send the request to /v1/holds
            holds/renew   | {"policy": "exports", "attributes": {"user": "a"}}                                | 400 | hold must be a string, was absent
            holds/renew   | {"policy": "exports", "attributes": {"user": "a"}, "hold": "AQ"}                  | 400 | hold must be the ticket from the response to POST /v1/holds, unchanged
            holds/release | {"policy": "exports", "attributes": {"user": "a"}, "hold": "AQ", "leaseSeconds": 1} | 400 | unknown member \\"leaseSeconds\\"
            holds/peek    | {"policy": "exports", "permits": 1}                                               | 400 | unknown member \\"permits\\"; allowed are policy, attributes
            holds/peek    | no                                                                                | 400 | the body is not JSON
            """)
    void an_invalid_request_is_an_error_and_takes_nothing(String call, String body, int status, String detail) {
        HttpResponse<String> response = server.post("/v1/" + call, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.body()).contains(detail);
        assertThat(server.post("/v1/holds/peek", "{\"policy\": \"exports\", \"attributes\": {\"user\": \"a\"}}")
                        .body())
                .contains("\"free\":1");
    }
}
