package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.HttpServiceGroup.ClientType;
import org.springframework.web.service.registry.ImportHttpServices;
import reactor.core.publisher.Mono;

/** Calls of HTTP service groups are limited after what configurers of the groups add. The partner is a real server. */
@Timeout(60)
class HttpServiceGroupsTest {

    private static final Partner PARTNER = new Partner();
    private static final OpenPartner DOWNLOADS = new OpenPartner();
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private static ConfigurableApplicationContext application;

    interface PartnerApi {

        @GetExchange("/accounts")
        ResponseEntity<Void> accounts();
    }

    interface ReactiveApi {

        @GetExchange("/accounts")
        Mono<ResponseEntity<Void>> accounts();

        @GetExchange("/accounts")
        ResponseEntity<Void> accountsNow();
    }

    interface Downloads {

        @GetExchange("/download")
        InputStream download();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ImportHttpServices(group = "downloads", types = Downloads.class)
    @ImportHttpServices(group = "partner", types = PartnerApi.class)
    @ImportHttpServices(group = "reactive", types = ReactiveApi.class, clientType = ClientType.WEB_CLIENT)
    static class Application {

        /** Repeats a call that fails, and names the account. */
        @Bean
        RestClientHttpServiceGroupConfigurer blocking() {
            return groups -> groups.forEachClient(
                    (group, client) -> client.requestInterceptor((request, body, execution) -> {
                        request.getHeaders().set("Account", group.name());
                        for (int attempt = 1; attempt < 5; attempt++) {
                            var response = execution.execute(request, body);
                            if (!response.getStatusCode().is5xxServerError()) {
                                return response;
                            }
                            response.close();
                        }
                        return execution.execute(request, body);
                    }));
        }

        @Bean
        WebClientHttpServiceGroupConfigurer reactive() {
            return groups -> groups.forEachClient((group, client) -> client.filter((request, next) -> next.exchange(
                            ClientRequest.from(request).header("Account", group.name()).build())
                    .flatMap(response -> response.statusCode().is5xxServerError()
                            ? response.createError()
                            : Mono.just(response))
                    .retry(4)));
        }
    }

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.http.serviceclient.partner.base-url=" + PARTNER.url(""),
                        "spring.http.serviceclient.reactive.base-url=" + PARTNER.url(""),
                        "headgate.policies.partners.pausable=true",
                        "headgate.policies.partners.rules.calls.by=account",
                        "headgate.policies.partners.rules.calls.sliding-window.permits=2",
                        "headgate.policies.partners.rules.calls.sliding-window.window=1h",
                        "spring.http.serviceclient.downloads.base-url=" + DOWNLOADS.url(""),
                        "headgate.policies.downloads.rules.calls.in-flight.permits=1",
                        "headgate.policies.downloads.rules.calls.by=host",
                        "headgate.outgoing.routes[0].path=/download",
                        "headgate.outgoing.routes[0].policy=downloads",
                        "headgate.outgoing.routes[0].by.host=host",
                        "headgate.outgoing.routes[0].max-wait=0s",
                        "headgate.outgoing.routes[1].policy=partners",
                        "headgate.outgoing.routes[1].by.account=header(Account)",
                        "headgate.outgoing.routes[1].max-wait=0s")
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
        PARTNER.close();
        DOWNLOADS.close();
    }

    @AfterEach
    void reset() {
        PARTNER.reply(200, "");
        PARTNER.calls();
        for (String account : new String[] {"partner", "reactive", "absent:unknown"}) {
            limiter().resume(account);
            limiter().reset(account);
        }
    }

    private static Limiter limiter() {
        return application.getBean(PolicyRegistry.class).limiter("partners");
    }

    private static PartnerApi partner() {
        return application.getBean(PartnerApi.class);
    }

    private static ReactiveApi reactive() {
        return application.getBean(ReactiveApi.class);
    }

    @Test
    void each_group_has_the_limit_of_the_account_that_its_configurer_names() {
        for (int i = 0; i < 2; i++) {
            assertThat(partner().accounts().getStatusCode()).isEqualTo(HttpStatusCode.valueOf(200));
        }
        assertThatThrownBy(() -> partner().accounts()).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.calls()).isEqualTo(2);

        reactive().accounts().block(WITHIN);
        reactive().accountsNow();
        Mono<?> denied = reactive().accounts();
        assertThatThrownBy(() -> denied.block(WITHIN)).isInstanceOf(LimitExceededException.class);
        assertThatThrownBy(() -> reactive().accountsNow()).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.calls()).isEqualTo(2);
        assertThat(limiter().peek("absent:unknown").remaining()).isEqualTo(2);
    }

    @Test
    void each_attempt_of_a_retry_in_a_group_needs_a_permit() {
        PARTNER.reply(503, "");
        assertThatThrownBy(() -> partner().accounts()).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.calls()).isEqualTo(2);

        Mono<?> repeated = reactive().accounts();
        assertThatThrownBy(() -> repeated.block(WITHIN)).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.calls()).isEqualTo(2);
    }

    @Test
    void a_429_pauses_the_calls_of_a_group() {
        PARTNER.reply(429, "3600");
        assertThatThrownBy(() -> partner().accounts()).isInstanceOf(HttpClientErrorException.class);
        assertThat(limiter().peek("partner").basis()).isEqualTo(Decision.Basis.PAUSED);
        assertThat(limiter().peek("reactive").basis()).isEqualTo(Decision.Basis.COUNTED);
        assertThatThrownBy(() -> reactive().accountsNow()).isInstanceOf(WebClientResponseException.class);
        PARTNER.calls();

        assertThatThrownBy(() -> partner().accounts()).isInstanceOf(LimitExceededException.class);
        assertThatThrownBy(() -> reactive().accountsNow()).isInstanceOf(LimitExceededException.class);
        assertThat(PARTNER.calls()).isZero();
    }

    @Test
    void a_download_holds_an_in_flight_permit_until_its_stream_is_closed() throws IOException {
        Downloads downloads = application.getBean(Downloads.class);
        InputStream open = downloads.download();
        assertThatThrownBy(downloads::download).isInstanceOf(InFlightExceededException.class);
        assertThat(open.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("12");
        open.close();
        downloads.download().close();
    }
}
