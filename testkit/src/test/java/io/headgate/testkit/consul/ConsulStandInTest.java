package io.headgate.testkit.consul;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stand-in behaves as these sentences of Consul's documentation describe it. */
@Timeout(60)
class ConsulStandInTest {

    private static final String A_VALUE = "YQ=="; // a
    private final ConsulStandIn consul = ConsulStandIn.start();
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        consul.close();
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(URI.create(consul.url() + "/v1/" + path))
                .method(method, BodyPublishers.ofString(body))
                .build();
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private HttpResponse<String> get(String path) {
        return send(request("GET", path, ""));
    }

    private String put(String path, String body) {
        return send(request("PUT", path, body)).body();
    }

    private static long index(HttpResponse<?> reply) {
        return reply.headers().firstValueAsLong("X-Consul-Index").orElseThrow();
    }

    private long modifyIndex(String key) {
        Matcher found = Pattern.compile("\"ModifyIndex\":(\\d+)")
                .matcher(get("kv/" + key).body());
        assertThat(found.find()).isTrue();
        return Long.parseLong(found.group(1));
    }

    private static String operation(String verb, String key, String more) {
        return "{\"KV\":{\"Verb\":\"" + verb + "\",\"Key\":\"" + key + "\"" + more + "}}";
    }

    private HttpResponse<String> transaction(String... operations) {
        return send(request("PUT", "txn", "[" + String.join(",", operations) + "]"));
    }

    private CompletableFuture<HttpResponse<String>> block(String path, long index, String wait) {
        return http.sendAsync(request("GET", path + "?index=" + index + "&wait=" + wait, ""), BodyHandlers.ofString());
    }

    @Nested
    class Keys {

        @Test
        void if_no_key_exists_at_the_given_path_a_404_is_returned() {
            assertThat(get("kv/a").statusCode()).isEqualTo(404);
        }

        @Test
        void value_is_a_base64_encoded_blob_of_data() {
            put("kv/a", "a");
            assertThat(get("kv/a").body()).startsWith("[{").contains("\"Key\":\"a\",\"Flags\":0,\"Value\":\"YQ==\"");
        }

        @Test
        void resource_names_may_be_encoded_in_the_url() {
            put("kv/a%2Fb", "a");
            assertThat(get("kv/a/b?raw").body()).isEqualTo("a");
        }

        @Test
        void with_recurse_key_is_treated_as_a_prefix() {
            put("kv/a/1", "1");
            put("kv/a/2", "2");
            put("kv/b", "3");
            assertThat(get("kv/a/?recurse").body())
                    .contains("\"a/1\"", "\"a/2\"")
                    .doesNotContain("\"b\"");
        }

        @Test
        void with_keys_the_response_is_an_array_of_strings() {
            put("kv/a/1", "1");
            put("kv/a/2", "2");
            assertThat(get("kv/a/?keys").body()).isEqualTo("[\"a/1\",\"a/2\"]");
        }

        @Test
        void values_in_the_store_cannot_be_larger_than_512_kb() {
            assertThat(put("kv/a", "x".repeat(512 * 1024))).isEqualTo("true");
            assertThat(send(request("PUT", "kv/a", "x".repeat(512 * 1024 + 1))).statusCode())
                    .isEqualTo(413);
        }

        @Test
        void if_the_index_of_cas_is_0_consul_only_puts_the_key_if_it_does_not_exist() {
            assertThat(put("kv/a?cas=0", "1")).isEqualTo("true");
            assertThat(put("kv/a?cas=0", "2")).isEqualTo("false");
            assertThat(get("kv/a?raw").body()).isEqualTo("1");
        }

        @Test
        void if_the_index_of_cas_is_not_0_the_key_is_only_set_if_it_matches_the_modify_index() {
            put("kv/a", "1");
            long first = modifyIndex("a");
            assertThat(put("kv/a?cas=" + first, "2")).isEqualTo("true");
            assertThat(put("kv/a?cas=" + first, "3")).isEqualTo("false");
        }

        @Test
        void delete_deletes_a_single_key_or_all_keys_sharing_a_prefix() {
            put("kv/a", "1");
            put("kv/a/1", "1");
            put("kv/a/2", "1");
            send(request("DELETE", "kv/a", ""));
            assertThat(get("kv/a?keys").body()).isEqualTo("[\"a/1\",\"a/2\"]");
            send(request("DELETE", "kv/a/?recurse", ""));
            assertThat(get("kv/a?keys").statusCode()).isEqualTo(404);
        }

        @Test
        void the_index_of_a_delete_with_cas_must_be_greater_than_0_and_match() {
            put("kv/a", "1");
            long first = modifyIndex("a");
            assertThat(send(request("DELETE", "kv/a?cas=0", "")).body()).isEqualTo("false");
            assertThat(send(request("DELETE", "kv/a?cas=" + first, "")).body()).isEqualTo("true");
        }
    }

    @Nested
    class BlockingQueries {

        @Test
        void modify_index_corresponds_to_the_header_x_consul_index() {
            put("kv/a", "1");
            put("kv/b", "1");
            assertThat(index(get("kv/a"))).isEqualTo(modifyIndex("a"));
            assertThat(index(get("kv/?recurse"))).isEqualTo(modifyIndex("b"));
        }

        @Test
        void the_request_hangs_until_a_change_occurs() {
            put("kv/a", "1");
            CompletableFuture<HttpResponse<String>> waiting = block("kv/a", modifyIndex("a"), "5m");
            Await.until("the request waits", Duration.ofSeconds(30), () -> consul.queriesWaiting() == 1);
            put("kv/b", "1");
            assertThat(waiting).isNotDone();
            put("kv/a", "2");
            assertThat(waiting.join().body()).contains("\"Value\":\"Mg==\"");
        }

        @Test
        void a_request_for_data_that_does_not_exist_yet_waits_for_it() {
            CompletableFuture<HttpResponse<String>> waiting = block("kv/a", index(get("kv/a?recurse")), "5m");
            put("kv/a", "1");
            assertThat(waiting.join().statusCode()).isEqualTo(200);
        }

        @Test
        void the_request_returns_after_the_maximum_timeout_although_nothing_has_changed() {
            put("kv/a", "1");
            long first = modifyIndex("a");
            assertThat(index(block("kv/a", first, "1ms").join())).isEqualTo(first);
        }

        @Test
        void an_older_index_returns_at_once() {
            put("kv/a", "1");
            long first = modifyIndex("a");
            put("kv/a", "2");
            assertThat(index(block("kv/a", first, "5m").join())).isGreaterThan(first);
        }

        @Test
        void an_index_can_go_backwards_if_a_snapshot_with_an_older_version_of_the_data_is_restored() {
            put("kv/a", "1");
            long first = modifyIndex("a");
            ConsulStandIn.Snapshot snapshot = consul.snapshot();
            put("kv/a", "2");
            consul.restore(snapshot);
            assertThat(index(get("kv/a"))).isEqualTo(first);
        }

        @Test
        void a_deletion_within_a_prefix_ends_the_wait() {
            put("kv/a/1", "1");
            put("kv/a/2", "1");
            CompletableFuture<HttpResponse<String>> waiting = block("kv/a/", index(get("kv/a/?recurse")), "5m&recurse");
            send(request("DELETE", "kv/a/2", ""));
            assertThat(waiting.join().body()).doesNotContain("a/2");
        }

        @Test
        void stale_and_consistent_are_consistency_modes_of_reads() {
            put("kv/a", "1");
            assertThat(get("kv/a?stale").statusCode()).isEqualTo(200);
            assertThat(get("kv/a?consistent").statusCode()).isEqualTo(200);
            assertThat(get("kv/a?stale&consistent").statusCode()).isEqualTo(400);
        }
    }

    @Nested
    class Transactions {

        @Test
        void if_any_operation_fails_the_transaction_is_rolled_back_with_the_status_409() {
            put("kv/a", "1");
            HttpResponse<String> reply = transaction(
                    operation("set", "b", ",\"Value\":\"" + A_VALUE + "\""),
                    operation("cas", "a", ",\"Index\":1,\"Value\":\"" + A_VALUE + "\""));
            assertThat(reply.statusCode()).isEqualTo(409);
            assertThat(reply.body()).contains("\"OpIndex\":1", "\"What\":\"");
            assertThat(get("kv/b").statusCode()).isEqualTo(404);
            assertThat(get("kv/a?raw").body()).isEqualTo("1");
        }

        @Test
        void all_operations_are_applied_and_verbs_that_delete_keys_have_no_results() {
            put("kv/a", "1");
            put("kv/c", "1");
            HttpResponse<String> reply = transaction(
                    operation("cas", "a", ",\"Index\":" + modifyIndex("a") + ",\"Value\":\"" + A_VALUE + "\""),
                    operation("set", "b", ",\"Value\":\"" + A_VALUE + "\""),
                    operation("delete", "c", ""));
            assertThat(reply.statusCode()).isEqualTo(200);
            assertThat(reply.body()).contains("\"Key\":\"a\"", "\"Key\":\"b\"").doesNotContain("\"Key\":\"c\"");
            assertThat(get("kv/?keys").body()).isEqualTo("[\"a\",\"b\"]");
        }

        @Test
        void cas_with_the_index_0_fails_if_the_key_exists() {
            String create = operation("cas", "a", ",\"Index\":0,\"Value\":\"" + A_VALUE + "\"");
            assertThat(transaction(create).statusCode()).isEqualTo(200);
            assertThat(transaction(create).statusCode()).isEqualTo(409);
        }

        @Test
        void check_not_exists_fails_if_the_key_exists_and_get_if_it_does_not() {
            assertThat(transaction(operation("check-not-exists", "a", "")).statusCode())
                    .isEqualTo(200);
            assertThat(transaction(operation("get", "a", "")).statusCode()).isEqualTo(409);
            put("kv/a", "a");
            assertThat(transaction(operation("check-not-exists", "a", "")).statusCode())
                    .isEqualTo(409);
            assertThat(transaction(operation("get", "a", "")).body()).contains(A_VALUE);
        }

        @Test
        void a_transaction_has_a_limited_number_of_operations() {
            String[] operations = new String[65];
            Arrays.fill(operations, operation("delete", "a", ""));
            assertThat(transaction(operations).statusCode()).isEqualTo(413);
        }
    }

    @Nested
    class Sessions {

        private String create(String behavior) {
            String reply = put("session/create", "{\"TTL\":\"86400s\",\"Behavior\":\"" + behavior + "\"}");
            return reply.replaceAll(".*\"ID\":\"([^\"]+)\".*", "$1");
        }

        @Test
        void a_ttl_is_between_10_s_and_86400_s() {
            assertThat(send(request("PUT", "session/create", "{\"TTL\":\"9s\"}"))
                            .statusCode())
                    .isEqualTo(400);
            assertThat(send(request("PUT", "session/create", "{\"TTL\":\"86401s\"}"))
                            .statusCode())
                    .isEqualTo(400);
        }

        @Test
        void acquire_sets_the_session_and_increments_the_lock_index_once() {
            String session = create("delete");
            assertThat(put("kv/a?acquire=" + session, "1")).isEqualTo("true");
            assertThat(put("kv/a?acquire=" + session, "2")).isEqualTo("true");
            assertThat(get("kv/a").body()).contains("\"LockIndex\":1", "\"Session\":\"" + session, "\"Mg==\"");
            assertThat(put("kv/a?acquire=" + create("delete"), "3")).isEqualTo("false");
        }

        @Test
        void a_key_is_not_acquired_if_the_session_is_not_valid() {
            assertThat(send(request("PUT", "kv/a?acquire=none", "1")).statusCode())
                    .isEqualTo(500);
        }

        @Test
        void the_behavior_delete_causes_locks_to_be_deleted_and_release_to_be_released() {
            String deleting = create("delete");
            String releasing = create("release");
            put("kv/a?acquire=" + deleting, "1");
            put("kv/b?acquire=" + releasing, "1");
            consul.expire(deleting);
            consul.expire(releasing);
            assertThat(get("kv/a").statusCode()).isEqualTo(404);
            assertThat(get("kv/b").body()).doesNotContain("Session");
        }

        @Test
        void a_destroyed_session_is_invalidated_and_a_second_call_also_returns_200() {
            String session = create("delete");
            put("kv/a?acquire=" + session, "1");
            assertThat(put("session/destroy/" + session, "")).isEqualTo("true");
            assertThat(put("session/destroy/" + session, "")).isEqualTo("true");
            assertThat(get("kv/a").statusCode()).isEqualTo(404);
        }

        @Test
        void renew_returns_the_session_and_404_after_its_end() {
            String session = create("delete");
            assertThat(put("session/renew/" + session, "")).contains(session);
            consul.expire(session);
            assertThat(send(request("PUT", "session/renew/" + session, "")).statusCode())
                    .isEqualTo(404);
            assertThat(get("session/info/" + session).body()).isEqualTo("[]");
        }
    }

    @Nested
    class Tokens {

        private int status(String token, String method, String path) {
            HttpRequest request = HttpRequest.newBuilder(request(method, path, "1"), (name, value) -> true)
                    .header("X-Consul-Token", token)
                    .build();
            return send(request).statusCode();
        }

        @Test
        void a_token_is_provided_with_the_header_x_consul_token() {
            consul.allow("secret", new ConsulToken("a/", true, false));
            assertThat(status("secret", "PUT", "kv/a/1")).isEqualTo(200);
            assertThat(status("other", "PUT", "kv/a/1")).isEqualTo(403);
            assertThat(send(request("PUT", "kv/a/1", "1")).statusCode()).isEqualTo(403);
        }

        @Test
        void reads_require_key_read_and_writes_key_write_and_sessions_session_write() {
            consul.allow("reader", new ConsulToken("a/", false, false));
            consul.allow("writer", new ConsulToken("a/", true, true));
            assertThat(status("writer", "PUT", "kv/a/1")).isEqualTo(200);
            assertThat(status("reader", "GET", "kv/a/1")).isEqualTo(200);
            assertThat(status("reader", "GET", "kv/b")).isEqualTo(403);
            assertThat(status("reader", "PUT", "kv/a/1")).isEqualTo(403);
            assertThat(status("reader", "PUT", "session/create")).isEqualTo(403);
            assertThat(status("writer", "PUT", "session/create")).isEqualTo(200);
        }

        @Test
        void lists_contain_a_partial_subset_because_some_results_have_been_filtered_out() {
            put("kv/a/1", "1");
            put("kv/b", "1");
            consul.allow("reader", new ConsulToken("a/", false, false));
            assertThat(status("reader", "GET", "kv/?keys")).isEqualTo(200);
            assertThat(status("reader", "GET", "kv/b?keys")).isEqualTo(404);
        }
    }
}
