package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.InFlightLimiter;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
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
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls under an in-flight policy hold a permit until their response ends, whatever ends it. The partner is a real server. */
@Timeout(60)
class OutgoingInFlightTest {

    private static final OpenPartner PARTNER = new OpenPartner();
    private static final Duration WITHIN = Duration.ofSeconds(20);

    /** Nothing listens there. */
    private static final String UNREACHABLE = "http://localhost:1/any";

    private static ConfigurableApplicationContext application;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "headgate.policies.calls.rules.calls.by=partner",
                        "headgate.policies.calls.rules.calls.in-flight.permits=1",
                        "headgate.outgoing.routes[0].path=/waiting",
                        "headgate.outgoing.routes[0].policy=calls",
                        "headgate.outgoing.routes[0].by.partner=host",
                        "headgate.outgoing.routes[0].max-wait=1h",
                        "headgate.outgoing.routes[1].policy=calls",
                        "headgate.outgoing.routes[1].by.partner=host",
                        "headgate.outgoing.routes[1].max-wait=0s")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
        PARTNER.close();
    }

    @AfterEach
    void nothing_stays_held() {
        try {
            awaitNothingHeld();
        } finally {
            PARTNER.reset();
            limiter().reset("localhost");
        }
    }

    private static InFlightLimiter limiter() {
        return application.getBean(PolicyRegistry.class).inFlight("calls");
    }

    private static long held() {
        return limiter().peek("localhost").tightest().held();
    }

    private static void awaitNothingHeld() {
        Await.until("release", WITHIN, () -> held() == 0);
    }

    private static RestClient restClient() {
        return application.getBean(RestClient.Builder.class).build();
    }

    private static String get(String path) {
        return Objects.requireNonNull(
                restClient().get().uri(PARTNER.url(path)).retrieve().body(String.class));
    }

    private static WebClient webClient() {
        return application.getBean(WebClient.Builder.class).build();
    }

    private static Flux<String> getLater(String path) {
        return webClient()
                .get()
                .uri(PARTNER.url(path))
                .retrieve()
                .bodyToFlux(DataBuffer.class)
                .map(buffer -> buffer.toString(StandardCharsets.UTF_8));
    }

    @Test
    void a_rest_client_holds_its_permit_while_it_reads_the_response() {
        String body = restClient().get().uri(PARTNER.url("/any")).exchange((request, response) -> {
            assertThat(held()).isEqualTo(1);
            assertThatThrownBy(() -> get("/denied"))
                    .isInstanceOfSatisfying(InFlightExceededException.class, e -> {
                        assertThat(e.getStatusCode()).isEqualTo(HttpStatusCode.valueOf(503));
                        assertThat(e.getMessage()).isEqualTo("A service that is needed for this request is busy.");
                        assertThat(e.policyName()).isEqualTo("calls");
                    });
            return Objects.requireNonNull(response.bodyTo(String.class));
        });
        assertThat(body).isEqualTo("12");
        awaitNothingHeld();
        assertThat(get("/any")).isEqualTo("12");
    }

    @Test
    void a_response_that_the_application_closes_itself_holds_its_permit_until_then() {
        ClientHttpResponse open = restClient()
                .get()
                .uri(PARTNER.url("/any"))
                .exchange((request, response) -> response, false);
        assertThat(held()).isEqualTo(1);
        Objects.requireNonNull(open).close();
        awaitNothingHeld();
    }

    @Test
    void a_stream_of_the_body_holds_the_permit_until_it_is_closed() throws IOException {
        try (InputStream body = Objects.requireNonNull(restClient()
                .get()
                .uri(PARTNER.url("/any"))
                .exchange((request, response) -> response.getBody(), false))) {
            assertThat(body.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("12");
            assertThat(held()).isEqualTo(1);
        }
        awaitNothingHeld();
    }

    @Test
    void blocking_clients_release_their_permit_if_a_call_fails() {
        RestTemplate template = BuiltRestTemplate.of(application);
        assertThatThrownBy(() -> template.getForObject(PARTNER.url("/broken"), String.class))
                .isInstanceOf(HttpServerErrorException.class);
        awaitNothingHeld();
        assertThatThrownBy(() -> template.getForObject(UNREACHABLE, String.class))
                .isInstanceOf(ResourceAccessException.class);
        awaitNothingHeld();
        assertThatThrownBy(() -> get("/broken")).isInstanceOf(HttpServerErrorException.class);
    }

    @Test
    void a_call_waits_for_the_end_of_another() throws InterruptedException {
        CompletableFuture<String> first = getLater("/open").last().toFuture();
        PARTNER.awaitCall();
        CompletableFuture<String> blocking = CompletableFuture.supplyAsync(() -> get("/waiting"));
        CompletableFuture<String> reactive = getLater("/waiting").last().toFuture();
        assertThat(PARTNER.isUncalled()).isTrue();

        PARTNER.finish();
        assertThat(first).succeedsWithin(WITHIN);
        assertThat(blocking).succeedsWithin(WITHIN);
        assertThat(reactive).succeedsWithin(WITHIN);
    }

    @Test
    void a_cancelled_wait_holds_nothing() throws InterruptedException {
        CompletableFuture<String> first = getLater("/open").last().toFuture();
        PARTNER.awaitCall();
        getLater("/waiting").subscribe().dispose();
        PARTNER.finish();
        assertThat(first).succeedsWithin(WITHIN);
        awaitNothingHeld();
        assertThat(PARTNER.isUncalled()).isTrue();
    }

    @Test
    void a_web_client_holds_its_permit_until_the_body_ends() throws InterruptedException {
        CompletableFuture<String> started = new CompletableFuture<>();
        CompletableFuture<String> all =
                getLater("/open").doOnNext(started::complete).last().toFuture();
        PARTNER.awaitCall();
        assertThat(started).succeedsWithin(WITHIN);
        assertThat(held()).isEqualTo(1);
        assertThatThrownBy(() -> getLater("/denied").blockLast(WITHIN))
                .isInstanceOfSatisfying(InFlightExceededException.class, e -> assertThat(e.getStatusCode())
                        .isEqualTo(HttpStatusCode.valueOf(503)));
        assertThat(PARTNER.isUncalled()).isTrue();

        PARTNER.finish();
        assertThat(all).succeedsWithin(WITHIN).isEqualTo("2");
    }

    @Test
    void to_cancel_a_web_client_releases_its_permit_at_any_time() throws InterruptedException {
        Disposable withoutResponse = getLater("/silent").subscribe();
        PARTNER.awaitCall();
        assertThat(held()).isEqualTo(1);
        withoutResponse.dispose();
        awaitNothingHeld();

        assertThat(getLater("/open").blockFirst(WITHIN)).isEqualTo("1");
        awaitNothingHeld();
        PARTNER.finish();
        PARTNER.finish();
    }

    @Test
    void a_web_client_releases_its_permit_if_the_body_is_not_read_or_the_call_fails() {
        assertThat(webClient()
                        .get()
                        .uri(PARTNER.url("/any"))
                        .exchangeToMono(response -> Mono.just(response.statusCode()))
                        .block(WITHIN))
                .isEqualTo(HttpStatusCode.valueOf(200));
        awaitNothingHeld();
        assertThatThrownBy(() -> webClient()
                        .get()
                        .uri(UNREACHABLE)
                        .retrieve()
                        .toBodilessEntity()
                        .block(WITHIN))
                .isInstanceOf(WebClientRequestException.class);
        awaitNothingHeld();
        assertThatThrownBy(() -> webClient()
                        .get()
                        .uri(PARTNER.url("/any"))
                        .exchangeToMono(response -> Mono.error(new IllegalStateException("rejected")))
                        .block(WITHIN))
                .hasMessage("rejected");
    }

    @Test
    void a_body_that_is_read_later_holds_the_permit_until_then() {
        ResponseEntity<Flux<String>> response = Objects.requireNonNull(webClient()
                .get()
                .uri(PARTNER.url("/any"))
                .retrieve()
                .toEntityFlux(String.class)
                .block(WITHIN));
        assertThat(held()).isEqualTo(1);
        Objects.requireNonNull(response.getBody()).blockLast(WITHIN);
        awaitNothingHeld();
    }
}
