package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The page and its numbers, through a real client. */
class PageTest {

    private static final TestServer server = new TestServer();

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void the_page_shows_the_store_the_limit_of_each_rule_and_a_command_to_try() {
        HttpResponse<String> response = server.get("/");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(response.body())
                .contains("memory of this process, not shared")
                .contains("<td>per-user</td><td>3 permits in any minute, by user</td>")
                .contains("<td>global</td><td>1000 permits in each second of the clock, in total</td>")
                .contains("curl -i &#39;" + server.server.uri() + "/check/api?user=alice&#39;")
                .contains("/check/agents?user-agent=curl&amp;ip=192.0.2.7")
                .doesNotContain("{{");
    }

    @Test
    void a_rule_shows_the_number_of_its_overrides() {
        Limit limit = Limit.slidingWindow(3, Duration.ofMinutes(1));
        Policy plans = Policy.named("plans")
                .rule("global", limit)
                .rule("per-user", limit, Attributes.USER)
                .override("global", Attributes.of("plan", "gold"), limit)
                .override("per-user", Attributes.of("plan", "gold"), limit)
                .override("per-user", Attributes.of("user", "alice"), limit)
                .build();
        try (TestServer own = new TestServer(plans)) {
            assertThat(own.get("/").body())
                    .contains("<td>3 permits in any minute, in total; 1 override</td>")
                    .contains("<td>3 permits in any minute, by user; 2 overrides</td>");
            assertThat(own.get("/v1/status").body())
                    .contains("\"admits\":\"3 permits in any minute, by user; 2 overrides\"");
        }
    }

    @Test
    void the_page_loads_nothing_and_its_content_policy_allows_only_its_style_and_script()
            throws NoSuchAlgorithmException {
        HttpResponse<String> response = server.get("/");

        assertThat(response.body()).doesNotContain("http://www", "https://", "src=", "@import", "url(", "onclick");
        assertThat(response.headers().firstValue("Content-Security-Policy"))
                .contains("default-src 'none'; connect-src 'self'; style-src '" + hashOf("style", response.body())
                        + "'; script-src '" + hashOf("script", response.body())
                        + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    }

    @Test
    void the_page_counts_allowed_and_denied_requests_by_policy_and_rule() {
        server.get("/check/agents?user-agent=a&ip=1&permits=2");
        server.get("/check/agents?user-agent=a&ip=1");
        server.get("/check/agents?user-agent=a&ip=1");

        assertThat(server.get("/").body())
                .contains("<b data-of=\"agents allowed\">1</b>")
                .contains("<b data-of=\"agents denied\">2</b>")
                .contains("<td data-of=\"agents by limit\">2</td>");
        assertThat(server.get("/v1/status").body())
                .contains("\"store\":\"memory of this process, not shared\",\"health\":{\"limits\":\"healthy\"}")
                .contains(
                        "{\"policy\":\"agents\",\"allowed\":1,\"denied\":2,\"byFallback\":0,\"failed\":0,\"rules\":[{\"rule\":\"limit\","
                                + "\"admits\":\"2 permits in any minute, by user-agent and ip\","
                                + "\"dimensions\":[\"user-agent\",\"ip\"],\"denied\":2}]}");
    }

    @Test
    void requests_that_could_not_be_decided_are_shown_and_refreshed() {
        Policy policy = Policy.of("p", Limit.slidingWindow(1, Duration.ofSeconds(1)), Attributes.USER);
        Counts counts = new Counts();
        counts.onFailure(
                policy,
                Attributes.of(Attributes.USER, "alice"),
                1,
                new LimiterException("acquire", "hg:p", "not connected", false, null));

        assertThat(page("Redis", Health.DEGRADED, policy, counts))
                .contains("<dd data-of=\"health\">limits: degraded</dd>")
                .contains("<b data-of=\"p failed\">1</b> failed")
                .contains("put(policy.policy + \" failed\", policy.failed)");
    }

    @Test
    void the_description_of_the_store_is_escaped() {
        Policy policy = Policy.of("p", Limit.slidingWindow(1, Duration.ofSeconds(1)), Attributes.USER);

        assertThat(page("<script>alert('\"&')</script>{{policies}}", Health.HEALTHY, policy, new Counts()))
                .contains("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;")
                .doesNotContain("<script>alert");
    }

    private static String page(String description, Health health, Policy policy, Counts counts) {
        try (Engine engine = engine(description, health)) {
            Status status =
                    new Status(engine, ServedPolicies.fixed(engine.limits(), Policies.of(List.of(policy))), counts);
            return new Page(status, URI.create("http://127.0.0.1:1")).html();
        }
    }

    private static Engine engine(String description, Health health) {
        Engine memory = Engine.inMemory(new Counts());
        return new Engine(
                memory.limits(),
                memory.queues(),
                memory.top(),
                memory.audit(),
                description,
                memory.pinger(),
                () -> health,
                memory.problem(),
                memory.fallback());
    }

    private static String hashOf(String element, String page) throws NoSuchAlgorithmException {
        Matcher content = Pattern.compile("<" + element + ">(.*?)</" + element + ">", Pattern.DOTALL)
                .matcher(page);
        assertThat(content.find()).isTrue();
        byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(content.group(1).getBytes(StandardCharsets.UTF_8));
        assertThat(content.find()).as("a second " + element).isFalse();
        return "sha256-" + Base64.getEncoder().encodeToString(digest);
    }
}
