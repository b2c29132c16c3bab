package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Limiter;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls of HTTP interfaces on a {@code WebClient} are limited, whatever their methods return. The partner is a real server. */
@Timeout(60)
class HttpInterfacesTest {

    private static final OpenPartner PARTNER = new OpenPartner();
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final String ACCOUNT = "Account";

    private static ConfigurableApplicationContext application;
    private static PartnerApi api;

    interface PartnerApi {

        @GetExchange("/limited/{id}")
        Mono<String> later(@PathVariable String id, @RequestHeader(ACCOUNT) String account);

        @GetExchange("/limited/{id}")
        Flux<String> stream(@PathVariable String id, @RequestHeader(ACCOUNT) String account);

        @GetExchange("/limited/{id}")
        String now(@PathVariable String id, @RequestHeader(ACCOUNT) String account);

        @GetExchange("/limited/{id}")
        void discarded(@PathVariable String id, @RequestHeader(ACCOUNT) String account);

        @GetExchange("/limited/{id}")
        CompletableFuture<String> future(@PathVariable String id, @RequestHeader(ACCOUNT) String account);

        @GetExchange("/context")
        Mono<String> ofContext();

        @GetExchange("/slow")
        String slow();

        @GetExchange("/open")
        Flux<String> open();

        @GetExchange("/any")
        String any();

        @GetExchange("/any")
        void discardedAny();

        @GetExchange("/any")
        HttpHeaders headers();

        @GetExchange("/any")
        Mono<ResponseEntity<Flux<String>>> body();

        @GetExchange("/broken")
        Mono<String> broken();
    }

    /** Finds the account of a call. */
    public static class Accounts {

        public Mono<String> ofContext() {
            return Mono.deferContextual(context -> Mono.just(context.<String>get(ACCOUNT)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Accounts accounts() {
            return new Accounts();
        }

        @Bean
        PartnerApi partnerApi(WebClient.Builder builder, @Value("${partner.uri}") String uri) {
            WebClient client = builder.baseUrl(uri).build();
            return HttpServiceProxyFactory.builderFor(WebClientAdapter.create(client))
                    .build()
                    .createClient(PartnerApi.class);
        }
    }

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "partner.uri=" + PARTNER.url(""),
                        "headgate.policies.rate.rules.calls.by=account",
                        "headgate.policies.rate.rules.calls.sliding-window.permits=2",
                        "headgate.policies.rate.rules.calls.sliding-window.window=1h",
                        "headgate.policies.calls.rules.calls.by=partner",
                        "headgate.policies.calls.rules.calls.in-flight.permits=1",
                        "headgate.outgoing.routes[0].path=/limited/{id}",
                        "headgate.outgoing.routes[0].policy=rate",
                        "headgate.outgoing.routes[0].by.account=header(Account)",
                        "headgate.outgoing.routes[0].max-wait=0s",
                        "headgate.outgoing.routes[1].path=/context",
                        "headgate.outgoing.routes[1].policy=rate",
                        "headgate.outgoing.routes[1].by.account=#{@accounts.ofContext()}",
                        "headgate.outgoing.routes[1].max-wait=0s",
                        "headgate.outgoing.routes[2].path=/slow",
                        "headgate.outgoing.routes[2].policy=rate",
                        "headgate.outgoing.routes[2].by.account=fixed(slow)",
                        "headgate.outgoing.routes[2].max-wait=1h",
                        "headgate.outgoing.routes[3].policy=calls",
                        "headgate.outgoing.routes[3].by.partner=host",
                        "headgate.outgoing.routes[3].max-wait=0s")
                .run();
        api = application.getBean(PartnerApi.class);
    }

    @AfterAll
    static void stop() {
        application.close();
        PARTNER.close();
    }

    @AfterEach
    void nothing_is_held_in_the_end() {
        try {
            awaitNothingHeld();
        } finally {
            PARTNER.reset();
        }
    }

    private static Limiter rate() {
        return application.getBean(PolicyRegistry.class).limiter("rate");
    }

    private static long held() {
        return application
                .getBean(PolicyRegistry.class)
                .inFlight("calls")
                .peek("localhost")
                .tightest()
                .held();
    }

    private static void awaitNothingHeld() {
        Await.until("release", WITHIN, () -> held() == 0);
    }

    private static void assertDenied(Runnable call) throws InterruptedException {
        // Both calls before.
        PARTNER.awaitCall();
        PARTNER.awaitCall();
        assertThatThrownBy(call::run).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.isUncalled()).isTrue();
    }

    @Test
    void methods_that_block_throw_the_denial_and_send_nothing_beyond_the_limit() throws InterruptedException {
        assertThat(api.now("a", "now")).isEqualTo("12");
        api.discarded("b", "now");
        assertDenied(() -> api.now("c", "now"));
        assertThatThrownBy(() -> api.discarded("a", "now")).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.isUncalled()).isTrue();
        assertThat(api.now("a", "other")).isEqualTo("12");
    }

    @Test
    void each_subscription_to_a_publisher_is_a_call() throws InterruptedException {
        Mono<String> later = api.later("a", "later");
        assertThat(rate().peek("later").remaining()).isEqualTo(2);
        assertThat(later.block(WITHIN)).isEqualTo("12");
        assertThat(later.block(WITHIN)).isEqualTo("12");
        assertDenied(() -> later.block(WITHIN));

        Flux<String> stream = api.stream("a", "stream");
        assertThat(stream.collectList().block(WITHIN)).isNotEmpty();
        assertThat(stream.collectList().block(WITHIN)).isNotEmpty();
        assertDenied(() -> stream.blockLast(WITHIN));
    }

    @Test
    void a_future_fails_with_the_denial() throws InterruptedException {
        assertThat(api.future("a", "future")).succeedsWithin(WITHIN).isEqualTo("12");
        assertThat(api.future("a", "future")).succeedsWithin(WITHIN).isEqualTo("12");
        assertDenied(() -> {
            CompletableFuture<String> denied = api.future("a", "future");
            assertThat(denied).failsWithin(WITHIN);
            throw (RuntimeException) Objects.requireNonNull(
                    denied.handle((done, failure) -> failure).join());
        });
    }

    @Test
    void an_expression_reads_the_context_of_the_subscriber() {
        api.ofContext().contextWrite(context -> context.put(ACCOUNT, "context")).block(WITHIN);
        assertThat(rate().peek("context").remaining()).isEqualTo(1);
    }

    @Test
    void a_blocking_call_whose_time_is_over_while_it_waits_is_not_sent() throws InterruptedException {
        rate().tryAcquire("slow");
        rate().tryAcquire("slow");
        WebClientAdapter adapter = WebClientAdapter.create(application
                .getBean(WebClient.Builder.class)
                .baseUrl(PARTNER.url(""))
                .build());
        adapter.setBlockTimeout(Duration.ofMillis(50));
        PartnerApi impatient =
                HttpServiceProxyFactory.builderFor(adapter).build().createClient(PartnerApi.class);
        assertThatThrownBy(impatient::slow).hasMessageContaining("Timeout");
        rate().reset("slow");

        assertThat(api.slow()).isEqualTo("12");
        assertThat(rate().peek("slow").remaining()).isEqualTo(1);
        PARTNER.awaitCall();
        assertThat(PARTNER.isUncalled()).isTrue();
    }

    @Test
    void a_method_that_blocks_holds_no_permit_after_it_returns() {
        assertThat(api.any()).isEqualTo("12");
        awaitNothingHeld();
        api.discardedAny();
        awaitNothingHeld();
        assertThat(api.headers()).isNotNull();
        awaitNothingHeld();
        Mono<String> broken = api.broken();
        assertThatThrownBy(() -> broken.block(WITHIN)).isInstanceOf(WebClientResponseException.class);
    }

    @Test
    void a_publisher_holds_its_permit_until_its_body_ends_or_is_cancelled() throws InterruptedException {
        Disposable open = api.open().subscribe();
        PARTNER.awaitCall();
        assertThat(held()).isEqualTo(1);
        assertThatThrownBy(() -> api.any()).isInstanceOf(InFlightExceededException.class);
        open.dispose();
        awaitNothingHeld();
        PARTNER.finish();

        ResponseEntity<Flux<String>> response =
                Objects.requireNonNull(api.body().block(WITHIN));
        assertThat(held()).isEqualTo(1);
        Objects.requireNonNull(response.getBody()).blockLast(WITHIN);
    }
}
