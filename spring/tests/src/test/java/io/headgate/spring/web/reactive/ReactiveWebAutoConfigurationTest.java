package io.headgate.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.attributes.AsyncValueResolver;
import io.headgate.http.attributes.ResolvedValue;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import io.headgate.spring.HeadgateAutoConfiguration;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Tests the filters without a server. */
class ReactiveWebAutoConfigurationTest {

    private static final String ROUTE = "headgate.web.routes[0].";
    private static final String SECOND = "headgate.web.routes[1].";
    private static final AutoConfigurations ALL =
            AutoConfigurations.of(HeadgateAutoConfiguration.class, ReactiveWebAutoConfiguration.class);

    private final ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
            .withConfiguration(ALL)
            .withBean(ServerCodecConfigurer.class, ServerCodecConfigurer::create)
            .withBean("two", Policy.class, () -> policy("two"))
            .withBean("other", Policy.class, () -> policy("other"))
            .withPropertyValues(ROUTE + "policy=two");

    private static Policy policy(String name) {
        return Policy.of(name, Limit.slidingWindow(2, Duration.ofHours(1)), "key");
    }

    private static MockServerWebExchange exchange() {
        return MockServerWebExchange.from(
                MockServerHttpRequest.get("/page").remoteAddress(InetSocketAddress.createUnresolved("192.0.2.7", 1)));
    }

    /** Sends an exchange through all filters; returns how often it is handled. */
    private static int handle(ApplicationContext context, ServerWebExchange exchange) {
        AtomicInteger handled = new AtomicInteger();
        filtered(context, exchange, handled).block(Duration.ofSeconds(10));
        return handled.get();
    }

    private static Mono<Void> filtered(ApplicationContext context, ServerWebExchange exchange, AtomicInteger handled) {
        Mono<Void> chain = Mono.defer(() -> {
            handled.incrementAndGet();
            return exchange.getResponse().setComplete();
        });
        List<WebFilter> filters = new ArrayList<>(
                context.getBeanProvider(WebFilter.class).orderedStream().toList());
        Collections.reverse(filters);
        for (WebFilter filter : filters) {
            Mono<Void> next = chain;
            chain = Mono.defer(() -> filter.filter(exchange, passed -> next));
        }
        return chain;
    }

    private static long remaining(ApplicationContext context, String id) {
        return context.getBean(PolicyRegistry.class).limiter("two").peek(id).remaining();
    }

    @ParameterizedTest
    @CsvSource({
        "before-authentication=true,  before-authentication=true,  -101",
        "before-authentication=false, before-authentication=false, -99",
        "before-authentication=true,  before-authentication=false, '-101, -99'"
    })
    void a_filter_exists_if_a_route_needs_it(String first, String second, String orders) {
        application
                .withPropertyValues(
                        ROUTE + "by.key=path", ROUTE + first, SECOND + "policy=other", SECOND + "by.key=path", SECOND + second)
                .run(context -> assertThat(context.getBeanProvider(WebFilter.class)
                                .orderedStream()
                                .map(filter -> "" + ((Ordered) filter).getOrder()))
                        .containsExactly(orders.split(", ")));
    }

    @Test
    void an_application_without_routes_has_no_filter() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(ALL)
                .withBean(ServerCodecConfigurer.class, ServerCodecConfigurer::create)
                .run(context -> assertThat(context.getBeanProvider(WebFilter.class)).isEmpty());
    }

    @Test
    void a_servlet_application_has_no_part_of_it() {
        new WebApplicationContextRunner()
                .withConfiguration(ALL)
                .run(context -> assertThat(context).doesNotHaveBean(DenialWriter.class));
    }

    @Test
    void a_refund_by_authentication_fails_the_start() {
        application
                .withPropertyValues(ROUTE + "by.key=path", ROUTE + "refund-on=404,authenticated")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ConfigException.class)
                        .hasMessage("headgate.web.routes[0].refund-on: must have statuses only, such as 2xx, "
                                + "in a WebFlux application, but has authenticated"));
    }

    @Test
    void a_principal_that_cannot_be_found_is_absent() {
        application.withPropertyValues(ROUTE + "by.key=principal.name").run(context -> {
            ServerWebExchange exchange = exchange()
                    .mutate()
                    .principal(Mono.error(new IllegalStateException("as the test wants")))
                    .build();
            assertThat(handle(context, exchange)).isEqualTo(1);
            assertThat(remaining(context, "absent:192.0.2.7")).isEqualTo(1);
        });
    }

    @Test
    void a_principal_that_no_route_uses_is_not_looked_up() {
        AtomicInteger lookups = new AtomicInteger();
        Mono<Principal> principal = Mono.fromCallable(() -> {
            lookups.incrementAndGet();
            return () -> "alice";
        });
        application
                .withPropertyValues(ROUTE + "by.key=fixed(x)")
                .run(context -> handle(context, exchange().mutate().principal(principal).build()));
        assertThat(lookups).hasValue(0);
        application
                .withPropertyValues(ROUTE + "by.key=principal.name")
                .run(context -> handle(context, exchange().mutate().principal(principal).build()));
        assertThat(lookups).hasValue(1);
    }

    @Test
    void an_engine_that_fails_does_not_fail_the_request() {
        application.withPropertyValues(ROUTE + "by.key=path").run(context -> {
            context.getBean(LimitEngine.class).close();
            MockServerWebExchange exchange = exchange();
            assertThat(handle(context, exchange)).isEqualTo(1);
            assertThat(exchange.getResponse().getHeaders().getFirst("X-RateLimit-Limit")).isNull();
        });
    }

    @Test
    void an_exchange_that_passes_a_filter_again_is_charged_once() {
        application.withPropertyValues(ROUTE + "by.key=path").run(context -> {
            MockServerWebExchange exchange = exchange();
            assertThat(handle(context, exchange)).isEqualTo(1);
            assertThat(handle(context, exchange)).isEqualTo(1);
            assertThat(remaining(context, "/page")).isEqualTo(1);
        });
    }

    @Test
    void a_denial_after_authentication_refunds_the_phase_before_and_does_not_send_its_fields() {
        application
                .withPropertyValues(
                        "headgate.web.match=all",
                        ROUTE + "by.key=path",
                        ROUTE + "before-authentication=true",
                        SECOND + "policy=other",
                        SECOND + "by.key=header(X-Key)",
                        SECOND + "absent=deny")
                .run(context -> {
                    MockServerWebExchange exchange = exchange();
                    assertThat(handle(context, exchange)).isZero();
                    assertThat(exchange.getResponse().getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
                    assertThat(exchange.getResponse().getHeaders().getFirst("X-RateLimit-Limit"))
                            .isNull();
                    assertThat(remaining(context, "/page")).isEqualTo(2);
                });
    }

    @Test
    void a_decision_is_made_to_its_end_although_the_exchange_is_cancelled() {
        CompletableFuture<ResolvedValue> found = new CompletableFuture<>();
        application
                .withBean("slow", AsyncValueResolver.class, () -> request -> found)
                .withPropertyValues(
                        "headgate.web.match=all",
                        ROUTE + "by.key=path",
                        ROUTE + "before-authentication=true",
                        SECOND + "policy=other",
                        SECOND + "by.key=@slow",
                        SECOND + "absent=deny")
                .run(context -> {
                    AtomicInteger handled = new AtomicInteger();
                    Disposable exchange = filtered(context, exchange(), handled).subscribe();
                    assertThat(remaining(context, "/page")).isEqualTo(1);
                    exchange.dispose();
                    found.complete(ResolvedValue.missing("key"));
                    assertThat(remaining(context, "/page")).as("of the phase before").isEqualTo(2);
                    assertThat(handled).hasValue(0);
                });
    }

    @Test
    void without_a_dispatcher_the_fields_of_both_phases_and_the_problem_are_sent() {
        application
                .withPropertyValues(
                        "headgate.web.match=all",
                        ROUTE + "by.key=path",
                        ROUTE + "before-authentication=true",
                        SECOND + "policy=other",
                        SECOND + "by.key=path")
                .run(context -> {
                    MockServerWebExchange admitted = exchange();
                    assertThat(handle(context, admitted)).isEqualTo(1);
                    assertThat(admitted.getResponse().getHeaders().getFirst("RateLimit"))
                            .contains("two", "other");
                    assertThat(handle(context, exchange())).isEqualTo(1);
                    MockServerWebExchange denied = exchange();
                    assertThat(handle(context, denied)).isZero();
                    assertThat(denied.getResponse().getStatusCode()).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
                    assertThat(denied.getResponse().getBodyAsString().block()).contains("\"policy\":\"two\"");
                });
    }
}
