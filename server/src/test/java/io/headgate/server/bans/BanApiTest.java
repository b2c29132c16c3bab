package io.headgate.server.bans;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.limits.InFlightPolicy;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.serve.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/bans}, and what banned and exempt requests get from a server that trusts the proxy at 127.0.0.1. */
class BanApiTest {

    private static final String TOKEN = "an-operators-own-secret";

    private final TestServer server = new TestServer(
            ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .drainDelay(Duration.ZERO)
                    .operatorToken(Optional.of(new BearerToken(TOKEN)))
                    .clientAddress(Optional.of(ClientAddress.trusting("127.0.0.0/8", "2001:db8:7::/48")))
                    .build(),
            Policies.of(
                    List.of(TestServer.API),
                    List.of(InFlightPolicy.named("exports").rule("global", 1).build())));

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> post(String path, String body) {
        return server.send(server.json(path, body).header("Authorization", "Bearer " + TOKEN));
    }

    private HttpResponse<String> get(String query) {
        return server.send(
                HttpRequest.newBuilder(server.at("/v1/bans" + query)).header("Authorization", "Bearer " + TOKEN));
    }

    private HttpResponse<String> ban(String body) {
        HttpResponse<String> response = post("/v1/bans", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response;
    }

    @Test
    void a_ban_is_added_listed_and_lifted() {
        HttpResponse<String> added = ban(
                "{\"attribute\":\"user\",\"value\":\"mallory\",\"durationSeconds\":3600,\"reason\":\"card testing\",\"by\":\"ada\"}");
        String entry =
                "{\"attribute\":\"user\",\"value\":\"mallory\",\"kind\":\"ban\",\"since\":\"2026-01-01T00:00:00.000000Z\","
                        + "\"until\":\"2026-01-01T01:00:00.000000Z\",\"reason\":\"card testing\",\"by\":\"ada\"}";
        assertThat(added.body()).isEqualTo(entry + "\n");
        assertThat(get("").body()).isEqualTo("{\"entries\":[" + entry + "],\"total\":1}\n");
        HttpResponse<String> checked = server.check("{\"policy\":\"api\",\"attributes\":{\"user\":\"mallory\"}}");
        assertThat(checked.statusCode()).isEqualTo(200);
        assertThat(checked.body())
                .contains(
                        "\"allowed\":false", "\"retryAfterSeconds\":3600", "\"basis\":\"banned\"", "\"ban\":" + entry);
        HttpResponse<String> lifted = post("/v1/bans/lift", "{\"attribute\":\"user\",\"value\":\"mallory\"}");
        assertThat(lifted.body()).isEqualTo("{\"lifted\":" + entry + "}\n");
        assertThat(server.check("{\"policy\":\"api\",\"attributes\":{\"user\":\"mallory\"}}")
                        .body())
                .contains("\"allowed\":true");
        HttpResponse<String> again = post("/v1/bans/lift", "{\"attribute\":\"user\",\"value\":\"mallory\"}");
        assertThat(again.statusCode()).isEqualTo(404);
        assertThat(again.body()).contains("user=mallory is neither banned nor exempt");
    }

    @Test
    void a_proxy_gets_403_without_the_reason_or_the_status_that_it_chooses() {
        ban("{\"attribute\":\"user\",\"value\":\"mallory\",\"durationSeconds\":3600,\"reason\":\"card testing\"}");
        HttpResponse<String> denied = server.get("/check/api?user=mallory");
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.body())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,"
                        + "\"detail\":\"These requests are banned. Try again in 3600 seconds.\"}\n");
        assertThat(denied.headers().firstValue("Retry-After")).contains("3600");
        assertThat(server.get("/check/api?user=mallory&ban=429").statusCode()).isEqualTo(429);
        assertThat(server.get("/check/api?user=mallory&deny=401").statusCode()).isEqualTo(401);
        assertThat(server.get("/check/api?user=mallory&deny=401&ban=404").statusCode())
                .isEqualTo(404);
        assertThat(server.get("/check/api?user=alice&ban=404").statusCode()).isEqualTo(200);
    }

    @Test
    void a_banned_request_for_a_hold_gets_403_with_the_ban_and_is_no_denial_of_a_rule() {
        String entry = ban("{\"attribute\":\"user\",\"value\":\"mallory\",\"durationSeconds\":3600}")
                .body()
                .strip();
        String hold = "{\"policy\":\"exports\",\"attributes\":{\"user\":\"%s\"},\"maxWaitSeconds\":5}";
        HttpResponse<String> denied = server.post("/v1/holds", hold.formatted("mallory"));
        assertThat(denied.statusCode()).isEqualTo(403);
        assertThat(denied.headers().firstValue("Retry-After")).contains("3600");
        assertThat(denied.body())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,"
                        + "\"detail\":\"These requests are banned. Try again in 3600 seconds.\","
                        + "\"policy\":\"exports\",\"basis\":\"banned\",\"ban\":" + entry + "}\n");
        assertThat(server.get("/v1/status").body())
                .contains(
                        "{\"rule\":\"global\",\"admits\":\"1 permit at once, in total\",\"dimensions\":[],\"denied\":0}");
        assertThat(server.post("/v1/holds", hold.formatted("alice")).statusCode())
                .isEqualTo(200);
    }

    @Test
    void the_address_of_the_client_is_banned_though_no_rule_counts_by_it() {
        ban("{\"attribute\":\"ip\",\"value\":\"203.0.113.0/24\",\"permanent\":true}");
        assertThat(from("203.0.113.7")).isEqualTo(403);
        assertThat(from("198.51.100.7")).isEqualTo(200);
        ban("{\"attribute\":\"ip\",\"value\":\"203.0.113.7\",\"permanent\":true,\"kind\":\"exemption\"}");
        assertThat(from("203.0.113.7")).isEqualTo(200);
        assertThat(from("203.0.113.8")).isEqualTo(403);
    }

    @Test
    void an_attribute_that_no_rule_counts_by_is_banned_if_it_is_in_the_query() {
        ban("{\"attribute\":\"tenant\",\"value\":\"evil corp\",\"permanent\":true}");
        ban("{\"attribute\":\"deny\",\"value\":\"404\",\"permanent\":true}");
        assertThat(server.get("/check/api?user=alice&tenant=evil%20corp").statusCode())
                .isEqualTo(403);
        assertThat(server.get("/check/api?user=alice&tenant=acme").statusCode()).isEqualTo(200);
        assertThat(server.get("/check/api?user=alice", "Headgate-Tenant", "evil corp")
                        .statusCode())
                .as("a client may choose header fields")
                .isEqualTo(200);
        assertThat(server.get("/check/api?user=alice&deny=404").statusCode())
                .as("no attribute")
                .isEqualTo(200);
    }

    private int from(String client) {
        return server.get("/check/api?user=alice", "X-Forwarded-For", client).statusCode();
    }

    @Test
    void trusted_proxies_wide_blocks_and_the_own_address_are_banned_only_by_force() {
        String body = "{\"attribute\":\"ip\",\"value\":\"%s\",\"permanent\":true}";
        assertThat(post("/v1/bans", body.formatted("64.0.0.0/4")).body())
                .contains("ip=64.0.0.0/4 is wider than /8; ban smaller blocks, or send \\\"force\\\": true");
        assertThat(post("/v1/bans", body.formatted("2001::/16")).body()).contains("is wider than /32");
        assertThat(post("/v1/bans", body.formatted("2001:db8:7:1::/64")).body())
                .contains("ip=2001:db8:7:1::/64 applies to the trusted proxies 2001:db8:7::/48");
        assertThat(post("/v1/bans", body.formatted("127.0.0.0/8")).statusCode()).isEqualTo(400);
        HttpResponse<String> own = server.send(server.json("/v1/bans", body.formatted("203.0.113.0/24"))
                .header("Authorization", "Bearer " + TOKEN)
                .header("X-Forwarded-For", "203.0.113.9"));
        assertThat(own.body()).contains("ip=203.0.113.0/24 applies to your own address 203.0.113.9");
        HttpResponse<String> network = server.send(server.json("/v1/bans", body.formatted("2001:db8:9::8"))
                .header("Authorization", "Bearer " + TOKEN)
                .header("X-Forwarded-For", "2001:db8:9::7"));
        assertThat(network.body()).contains("ip=2001:db8:9::8 applies to your own address 2001:db8:9::7");
        assertThat(get("").body()).isEqualTo("{\"entries\":[],\"total\":0}\n");
        ban("{\"attribute\":\"ip\",\"value\":\"64.0.0.0/4\",\"permanent\":true,\"force\":true}");
        ban("{\"attribute\":\"ip\",\"value\":\"2001::/16\",\"permanent\":true,\"kind\":\"exemption\"}");
    }

    @Test
    void a_long_list_has_pages() {
        for (int i = 0; i < 25; i++) {
            ban("{\"attribute\":\"user\",\"value\":\"user %02d\",\"permanent\":true}".formatted(i));
        }
        Pattern next = Pattern.compile("\"next\":\"([^\"]+)\"");
        String query = "?limit=10";
        StringBuilder all = new StringBuilder();
        for (int page = 0; page < 3; page++) {
            String body = get(query).body();
            assertThat(body).contains("\"total\":25");
            all.append(body);
            Matcher token = next.matcher(body);
            assertThat(token.find()).isEqualTo(page < 2);
            query = page < 2 ? "?limit=10&after=" + URLEncoder.encode(token.group(1), StandardCharsets.UTF_8) : "";
        }
        for (int i = 0; i < 25; i++) {
            assertThat(all.toString().split("user %02d".formatted(i), -1)).hasSize(2);
        }
        assertThat(get("?attribute=ip").body()).contains("\"entries\":[]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"attribute":"user","value":"a"}                                        | give either durationSeconds, from 1 to 316224000, or permanent: true
            {"attribute":"user","value":"a","permanent":true,"durationSeconds":1}   | give either durationSeconds
            {"attribute":"user","value":"a","durationSeconds":0}                    | durationSeconds must be a whole number from 1 to 316224000, was 0
            {"attribute":"user","value":"","permanent":true}                        | number of characters of user in a ban must be from 1 to 1024, was 0
            {"attribute":"ip","value":"10.1.2.3/24","permanent":true}               | ip 10.1.2.3/24 has bits after its prefix; write 10.1.2.0/24
            {"attribute":"user","value":"a","permanent":true,"kind":"mute"}         | kind must be ban, exemption or counted-exemption, was \\"mute\\"
            {"attribute":"user","value":"a","permanent":true,"colour":"red"}        | unknown member \\"colour\\"
            {"attribute":"user","permanent":true}                                   | value must be a string, was absent
            """)
    void an_invalid_body_is_an_error_that_names_what_is_allowed(String body, String problem) {
        HttpResponse<String> response = post("/v1/bans", body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains(problem);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ?limit=0       | limit must be a whole number from 1 to 1000, was
            ?limit=1001    | limit must be a whole number from 1 to 1000, was
            ?colour=red    | allowed are attribute, policy, limit, after
            ?after=nothing | after must be the value of next in an earlier response
            """)
    void an_invalid_query_is_an_error(String query, String problem) {
        HttpResponse<String> response = get(query);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains(problem);
    }

    @Test
    void a_target_of_another_kind_is_an_error() {
        ban("{\"attribute\":\"user\",\"value\":\"a\",\"permanent\":true}");
        HttpResponse<String> response =
                post("/v1/bans", "{\"attribute\":\"user\",\"value\":\"a\",\"permanent\":true,\"kind\":\"exemption\"}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("user=a has a ban already; lift it before you add an exemption");
    }

    @Test
    void only_operators_read_and_change_bans() {
        assertThat(server.get("/v1/bans").statusCode()).isEqualTo(401);
        assertThat(server.post("/v1/bans", "{\"attribute\":\"user\",\"value\":\"a\",\"permanent\":true}")
                        .statusCode())
                .isEqualTo(401);
        assertThat(server.post("/v1/bans/lift", "{\"attribute\":\"user\",\"value\":\"a\"}")
                        .statusCode())
                .isEqualTo(401);
        assertThat(post("/v1/bans/lift", "").statusCode()).isEqualTo(400);
    }
}
