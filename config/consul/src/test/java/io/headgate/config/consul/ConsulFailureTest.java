package io.headgate.config.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreFailure.Kind;
import java.io.IOException;
import java.time.Duration;
import okhttp3.MediaType;
import okhttp3.ResponseBody;
import org.junit.jupiter.api.Test;
import org.kiwiproject.consul.ConsulException;
import retrofit2.Response;

/** What operators read about calls that failed. */
class ConsulFailureTest {

    @SuppressWarnings({"deprecation", "removal"}) // the other constructor needs a call
    private static StoreFailure failure(int status, String text) {
        ResponseBody body = ResponseBody.create(text, MediaType.get("text/plain"));
        return ConsulFailure.from(
                "write a", Duration.ofSeconds(3), new ConsulException(status, Response.error(status, body)));
    }

    @Test
    void a_server_error_may_follow_the_execution_of_the_call() {
        StoreFailure failure = failure(500, "leadership lost while committing log\n");
        assertThat(failure.kind()).isEqualTo(Kind.NO_REPLY);
        assertThat(failure)
                .hasMessage("write a: Consul rejects the call with status 500: leadership lost while committing log");
    }

    @Test
    void an_invalid_session_is_one_that_has_ended() {
        assertThat(failure(500, "invalid session \"x\"").kind()).isEqualTo(Kind.NO_LEASE);
        assertThat(failure(404, "Session id 'x' not found").kind()).isEqualTo(Kind.NO_LEASE);
    }

    @Test
    void a_conflict_is_a_rolled_back_transaction() {
        assertThat(failure(409, "{}").kind()).isEqualTo(Kind.ROLLED_BACK);
    }

    @Test
    void a_reply_of_another_server_is_shortened_to_one_line() {
        StoreFailure failure = failure(400, "<html>\n" + "x".repeat(1000));
        assertThat(failure.kind()).isEqualTo(Kind.OTHER);
        assertThat(failure.getMessage()).contains("<html> xxx").hasSizeLessThan(400);
    }

    @Test
    void a_failure_of_the_network_is_described_by_its_deepest_cause() {
        IOException refused = new IOException("Failed to connect", new IOException("Connection refused"));
        assertThat(ConsulFailure.from("read a", Duration.ofSeconds(3), new ConsulException(refused)))
                .hasMessage("read a: Consul cannot be reached: Connection refused");
    }
}
