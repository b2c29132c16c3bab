package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.testkit.Await;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Calls of a partner that is a real server, by all kinds of clients, are limited and paused. */
@Timeout(60)
class OutgoingCallsTest {

    private static final Partner PARTNER = new Partner();
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private static ConfigurableApplicationContext application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Names names() {
            return new Names();
        }

        /** A policy that another server could provide: the builder must not need the policies. */
        @Bean
        Policy remote(RestClient.Builder builder) {
            builder.build();
            return Policy.of("remote", Limit.slidingWindow(1, Duration.ofMinutes(1)));
        }
    }

    /** Finds the account of a call. */
    public static class Names {

        public Mono<String> account(OutgoingCall call) {
            return Mono.justOrEmpty(call.headers().getFirst("Account"));
        }

        public Mono<String> ofContext() {
            return Mono.deferContextual(context -> Mono.justOrEmpty(context.<String>getOrEmpty("account")));
        }

        public String fail() {
            throw new IllegalStateException("no name");
        }
    }

    interface PartnerApi {

        @GetExchange("/accounts")
        String accounts();
    }

    @BeforeAll
    static void start() {
        String window = ".rules.calls.sliding-window.";
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "headgate.policies.partners.pausable=true",
                        "headgate.policies.partners.rules.calls.by=account",
                        "headgate.policies.partners" + window + "permits=2",
                        "headgate.policies.partners" + window + "window=1h",
                        "headgate.policies.quick.rules.calls.sliding-window.permits=1",
                        "headgate.policies.quick.rules.calls.sliding-window.window=100ms",
                        "headgate.policies.slow.rules.calls.sliding-window.permits=1",
                        "headgate.policies.slow.rules.calls.sliding-window.window=30m",
                        "headgate.outgoing.routes[0].path=/free/**",
                        "headgate.outgoing.routes[0].policy=none",
                        "headgate.outgoing.routes[1].host=LOCALHOST",
                        "headgate.outgoing.routes[1].path=/accounts/**",
                        "headgate.outgoing.routes[1].policy=partners",
                        "headgate.outgoing.routes[1].by.account=#{@names.account(call)}",
                        "headgate.outgoing.routes[1].max-wait=0s",
                        "headgate.outgoing.routes[1].max-pause=1h",
                        "headgate.outgoing.routes[2].path=/quick",
                        "headgate.outgoing.routes[2].method=get",
                        "headgate.outgoing.routes[2].policy=quick",
                        "headgate.outgoing.routes[2].max-wait=20s",
                        "headgate.outgoing.routes[3].path=/slow",
                        "headgate.outgoing.routes[3].policy=slow",
                        "headgate.outgoing.routes[3].max-wait=1h",
                        "headgate.outgoing.routes[3].max-waiting=1",
                        "headgate.outgoing.routes[3].status=429",
                        "headgate.outgoing.routes[4].path=/failing",
                        "headgate.outgoing.routes[4].policy=partners",
                        "headgate.outgoing.routes[4].by.account=#{@names.fail()}",
                        "headgate.outgoing.routes[4].max-wait=0s",
                        "headgate.outgoing.routes[5].path=/context",
                        "headgate.outgoing.routes[5].policy=partners",
                        "headgate.outgoing.routes[5].by.account=#{@names.ofContext()}",
                        "headgate.outgoing.routes[5].max-wait=0s",
                        "headgate.policies.changed.rules.calls.by=account",
                        "headgate.policies.changed" + window + "permits=10",
                        "headgate.policies.changed" + window + "window=1h",
                        "headgate.outgoing.routes[6].path=/changed",
                        "headgate.outgoing.routes[6].policy=changed",
                        "headgate.outgoing.routes[6].by.account=#{@names.account(call)}",
                        "headgate.outgoing.routes[6].max-wait=0s")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
        PARTNER.close();
    }

    @AfterEach
    void reset() {
        PARTNER.reply(200, "");
        PARTNER.calls();
        limiter("slow").reset(Attributes.none());
    }

    private static Limiter limiter(String policy) {
        return application.getBean(PolicyRegistry.class).limiter(policy);
    }

    private static RestClient restClient() {
        return application.getBean(RestClient.Builder.class).build();
    }

    private static int get(String path, String account) {
        return restClient()
                .get()
                .uri(PARTNER.url(path))
                .header("Account", account)
                .exchange((request, response) -> response.getStatusCode().value());
    }

    private static Mono<Integer> getLater(String path, String account) {
        return application
                .getBean(WebClient.Builder.class)
                .build()
                .get()
                .uri(PARTNER.url(path))
                .header("Account", account)
                .exchangeToMono(response -> Mono.just(response.statusCode().value()));
    }

    @Test
    void a_rest_client_throws_the_denial_and_sends_nothing_beyond_the_limit() {
        assertThat(get("/accounts/1", "rest")).isEqualTo(200);
        assertThat(get("/accounts/2", "rest")).isEqualTo(200);
        assertThatThrownBy(() -> get("/accounts", "rest")).isInstanceOfSatisfying(LimitExceededException.class, e -> {
            assertThat(e.getStatusCode()).isEqualTo(HttpStatusCode.valueOf(503));
            assertThat(e.getHeaders().getFirst("Retry-After")).isNotNull();
            assertThat(e.getBody().getDetail()).startsWith("A service that is needed for this request is busy. Try again in");
            assertThat(e.decision().policyName()).isEqualTo("partners");
        });
        assertThat(get("/accounts", "other")).isEqualTo(200);
        assertThat(PARTNER.calls()).isEqualTo(3);
    }

    @Test
    void a_rest_template_and_an_http_interface_have_the_same_limits() {
        RestTemplate template = BuiltRestTemplate.of(application);
        PartnerApi api = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(application
                        .getBean(RestClient.Builder.class)
                        .baseUrl(PARTNER.url(""))
                        .defaultHeader("Account", "interface")
                        .build()))
                .build()
                .createClient(PartnerApi.class);
        api.accounts();
        api.accounts();
        assertThatThrownBy(api::accounts).isInstanceOf(LimitExceededException.class);
        // Without the field, the calls count together.
        template.getForEntity(PARTNER.url("/accounts"), String.class);
        template.getForEntity(PARTNER.url("/accounts"), String.class);
        assertThatThrownBy(() -> template.getForEntity(PARTNER.url("/accounts"), String.class))
                .isInstanceOf(LimitExceededException.class);
        assertThat(limiter("partners").peek("absent:unknown").denied()).isTrue();
        assertThat(PARTNER.calls()).isEqualTo(4);
    }

    @Test
    void a_web_client_signals_the_denial_and_sends_nothing_beyond_the_limit() {
        assertThat(getLater("/accounts", "web").block(WITHIN)).isEqualTo(200);
        assertThat(getLater("/accounts", "web").block(WITHIN)).isEqualTo(200);
        assertThatThrownBy(() -> getLater("/accounts", "web").block(WITHIN)).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.calls()).isEqualTo(2);
    }

    @Test
    void calls_wait_for_permits() {
        assertThat(get("/quick", "any")).isEqualTo(200);
        assertThat(get("/quick", "any")).isEqualTo(200);
        assertThat(getLater("/quick", "any").block(WITHIN)).isEqualTo(200);
    }

    @Test
    void routes_without_a_policy_and_other_calls_are_not_limited() {
        for (int i = 0; i < 5; i++) {
            assertThat(get("/free/1", "any")).isEqualTo(200);
            assertThat(get("/unknown", "any")).isEqualTo(200);
            assertThat(getLater("/unknown", "any").block(WITHIN)).isEqualTo(200);
        }
    }

    @Test
    void a_429_pauses_the_calls_with_the_same_values_for_its_retry_after() {
        PARTNER.reply(429, "600");
        assertThat(get("/accounts", "busy")).isEqualTo(429);
        assertThat(limiter("partners").peek("busy").basis()).isEqualTo(Decision.Basis.PAUSED);
        assertThat(limiter("partners").peek("busy").retryAfter().orElseThrow())
                .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
        assertThatThrownBy(() -> get("/accounts", "busy")).isInstanceOf(LimitExceededException.class);
        assertThat(get("/accounts", "idle")).isEqualTo(429);
        limiter("partners").resume("busy");
    }

    @Test
    void a_429_pauses_the_calls_from_the_version_of_the_policy_that_is_pausable() {
        PARTNER.reply(429, "600");
        assertThat(get("/changed", "busy")).isEqualTo(429);
        assertThat(limiter("changed").peek("busy").basis()).isEqualTo(Decision.Basis.COUNTED);
        PolicyRegistry registry = application.getBean(PolicyRegistry.class);
        List<Policy> next = new ArrayList<>();
        registry.policies().forEach(policy -> next.add(policy.name().equals("changed") ? pausable() : policy));
        registry.replace(Policies.of(next));
        assertThat(get("/changed", "busy")).isEqualTo(429);
        assertThat(limiter("changed").peek("busy").basis()).isEqualTo(Decision.Basis.PAUSED);
        limiter("changed").resume("busy");
    }

    private static Policy pausable() {
        return Policy.named("changed")
                .rule("calls", Limit.slidingWindow(10, Duration.ofHours(1)), "account")
                .pausable()
                .build();
    }

    @Test
    void a_429_to_a_web_client_pauses_the_calls_at_most_for_the_longest_pause() {
        PARTNER.reply(429, "100000");
        assertThat(getLater("/accounts", "long").block(WITHIN)).isEqualTo(429);
        assertThat(limiter("partners").peek("long").retryAfter().orElseThrow())
                .isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    }

    @Test
    void other_statuses_and_malformed_fields_pause_nothing() {
        PARTNER.reply(503, "600");
        assertThat(get("/accounts", "down")).isEqualTo(503);
        PARTNER.reply(429, "soon");
        assertThat(get("/accounts", "down")).isEqualTo(429);
        assertThat(limiter("partners").peek("down").basis()).isEqualTo(Decision.Basis.COUNTED);
    }

    @Test
    void a_call_that_would_have_to_wait_is_denied_if_too_many_wait() {
        assertThat(get("/slow", "any")).isEqualTo(200);
        Disposable waiting = getLater("/slow", "any").subscribe();
        assertThatThrownBy(() -> get("/slow", "any"))
                .isInstanceOfSatisfying(LimitExceededException.class, e -> assertThat(e.getStatusCode())
                        .isEqualTo(HttpStatusCode.valueOf(429)));
        waiting.dispose();
        // The cancelled call no longer waits, so this one does.
        CompletableFuture<Integer> next = getLater("/slow", "any").toFuture();
        assertThat(next).isNotDone();
        limiter("slow").reset(Attributes.none());
        assertThat(next).succeedsWithin(WITHIN).isEqualTo(200);
        assertThat(PARTNER.calls()).isEqualTo(2);
    }

    @Test
    void an_interrupted_call_is_not_sent_and_the_thread_stays_interrupted() throws InterruptedException {
        assertThat(get("/slow", "any")).isEqualTo(200);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                get("/slow", "any");
                interrupted.complete(false);
            } catch (ResourceAccessException e) {
                interrupted.complete(e.getCause() instanceof InterruptedIOException
                        && Thread.currentThread().isInterrupted());
            }
        });
        caller.start();
        Await.until("wait", WITHIN, () -> caller.getState() == Thread.State.WAITING
                || caller.getState() == Thread.State.TIMED_WAITING);
        caller.interrupt();
        assertThat(interrupted).succeedsWithin(WITHIN).isEqualTo(true);
        assertThat(PARTNER.calls()).isEqualTo(1);
    }

    @Test
    void a_web_client_that_waits_blocks_no_thread() {
        assertThat(get("/slow", "any")).isEqualTo(200);
        CompletableFuture<Integer> waiting = Mono.defer(() -> getLater("/slow", "any"))
                .subscribeOn(Schedulers.parallel())
                .toFuture();
        List<Boolean> blocking = Mono.fromCallable(Schedulers::isInNonBlockingThread)
                .subscribeOn(Schedulers.parallel())
                .repeat(Runtime.getRuntime().availableProcessors() * 2L)
                .collectList()
                .block(WITHIN);
        assertThat(blocking).containsOnly(true);
        limiter("slow").reset(Attributes.none());
        assertThat(waiting).succeedsWithin(WITHIN).isEqualTo(200);
    }

    @Test
    void calls_whose_value_fails_count_together() {
        limiter("partners").reset("absent:unknown");
        assertThat(get("/failing", "a")).isEqualTo(200);
        assertThat(get("/failing", "b")).isEqualTo(200);
        assertThatThrownBy(() -> get("/failing", "c")).isInstanceOf(LimitExceededException.class);
        limiter("partners").reset("absent:unknown");
    }

    @Test
    void expressions_of_a_web_client_read_the_context_of_the_subscriber() {
        limiter("partners").reset("absent:unknown");
        getLater("/context", "any").contextWrite(context -> context.put("account", "context")).block(WITHIN);
        assertThat(remaining("context")).isEqualTo(1);
        assertThat(remaining("absent:unknown")).isEqualTo(2);

        // Other clients have no context.
        get("/context", "any");
        assertThat(remaining("absent:unknown")).isEqualTo(1);
        limiter("partners").reset("absent:unknown");
    }

    private static long remaining(String account) {
        return limiter("partners").peek(account).remaining();
    }

    @Test
    void the_beans_limit_clients_that_are_built_without_the_builders() {
        RestClient own = RestClient.builder()
                .requestInterceptor(application.getBean(OutgoingLimits.class))
                .build();
        WebClient ownLater = WebClient.builder()
                .filter(application.getBean(OutgoingFilter.class))
                .build();
        limiter("partners").pause("own", Duration.ofHours(1));
        assertThatThrownBy(() -> own.get()
                        .uri(URI.create(PARTNER.url("/accounts")))
                        .header("Account", "own")
                        .retrieve()
                        .toBodilessEntity())
                .isInstanceOf(LimitExceededException.class);
        Mono<ClientResponse> later = ownLater.get()
                .uri(URI.create(PARTNER.url("/accounts")))
                .header("Account", "own")
                .exchangeToMono(Mono::just);
        assertThatThrownBy(() -> later.block(WITHIN)).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.calls()).isZero();
    }
}
