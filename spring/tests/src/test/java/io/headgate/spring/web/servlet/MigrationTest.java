package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.annotation.InFlight;
import io.headgate.spring.annotation.RateLimited;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.RunningApplication;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Starts applications with the configuration of the migration guide, whose blocks are excerpts of these files (GuidesTest). */
class MigrationTest {

    private static final String USER = "\nspring.security.user: { name: alice, password: secret }\n";

    @Test
    void routes_limit_users_and_failed_logins() {
        // Slower, so that nothing is refilled between two requests.
        String yaml = GuideIT.read("guide/migrated.yaml").replace("refill: 100 per 1m", "refill: 1 per 1h");
        try (RunningApplication application = RunningApplication.servlet(Application.class, yaml + USER)) {
            HttpRequest.Builder page = application
                    .to("/api/page")
                    .header("Authorization", RunningApplication.basic("alice", "secret"));
            assertThat(statuses(application, page, 101)).endsWith(200, 429);
            HttpRequest.Builder status = application
                    .to("/api/status")
                    .header("Authorization", RunningApplication.basic("alice", "secret"));
            assertThat(statuses(application, status, 1)).containsExactly(200);

            assertThat(statuses(application, application.login("alice", "wrong"), 6))
                    .doesNotContain(200)
                    .endsWith(302, 429);
        }
    }

    @Test
    void a_fallback_method_answers_denied_calls() {
        try (RunningApplication application =
                RunningApplication.servlet(MessageApplication.class, GuideIT.read("guide/migrated-methods.yaml") + USER)) {
            Messages messages = application.context.getBean(Messages.class);

            assertThat(List.of(messages.send("a"), messages.send("b"))).containsExactly("sent a", "sent b");
            assertThat(messages.send("c")).isEqualTo("denied by all");
        }
    }

    private static List<Integer> statuses(RunningApplication application, HttpRequest.Builder request, int requests) {
        return IntStream.range(0, requests)
                .mapToObj(i -> application.send(request).statusCode())
                .toList();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Page.class)
    static class Application {

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .csrf(csrf -> csrf.disable())
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Messages.class)
    static class MessageApplication {

        @Bean
        Sms sms() {
            return text -> "sent " + text;
        }
    }

    /** Sends text messages. */
    interface Sms {
        String send(String text);
    }

    static class Messages {

        private final Sms sms;

        Messages(Sms sms) {
            this.sms = sms;
        }

        @RateLimited(policy = "sms", maxWait = "5s", fallbackMethod = "later")
        @InFlight(policy = "gateway", maxWait = "500ms")
        String send(String text) {
            return sms.send(text);
        }

        String later(String text, LimitExceededException e) {
            return "denied by " + e.decision().deniedBy().orElseThrow();
        }
    }

    @RestController
    static class Page {

        @GetMapping({"/api/page", "/api/status"})
        String page() {
            return "page";
        }
    }
}
