package io.headgate.spring.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.spring.HeadgateAutoConfiguration;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authentication.event.AuthenticationFailureBadCredentialsEvent;
import org.springframework.security.authentication.event.AuthenticationSuccessEvent;
import org.springframework.security.core.Authentication;

/** Tests filters without a server. */
class RouteFilterTest {

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(HeadgateAutoConfiguration.class, ServletWebAutoConfiguration.class))
            .withBean(LimitEngine.class, InMemoryLimitEngine::create)
            .withInitializer(context -> ((org.springframework.context.support.GenericApplicationContext) context)
                    .registerBean(
                            PolicyRegistry.class,
                            () -> new PolicyRegistry(
                                    context.getBean(LimitEngine.class),
                                    Policies.of(List.of(
                                            Policy.of("one", Limit.slidingWindow(1, Duration.ofHours(1))))))))
            .withPropertyValues("headgate.web.routes[0].policy=one");

    private static MockHttpServletResponse send(
            org.springframework.context.ApplicationContext context, String filter, MockFilterChain chain)
            throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        Objects.requireNonNull(context.getBean(filter, FilterRegistrationBean.class).getFilter())
                .doFilter(new MockHttpServletRequest("GET", "/"), response, chain);
        return response;
    }

    @Test
    void without_spring_mvc_and_spring_security_a_denied_request_has_a_problem_as_its_body() {
        application
                .withClassLoader(
                        new FilteredClassLoader("org.springframework.web.servlet", "org.springframework.security"))
                .run(context -> {
                    String filter = "headgateFilterAfterAuthentication";
                    assertThat(send(context, filter, new MockFilterChain()).getStatus()).isEqualTo(200);
                    MockHttpServletResponse denied = send(context, filter, new MockFilterChain());
                    assertThat(denied.getStatus()).isEqualTo(429);
                    assertThat(denied.getContentType()).isEqualTo("application/problem+json");
                    assertThat(denied.getHeader("Retry-After")).isNotNull();
                    assertThat(denied.getContentAsString())
                            .startsWith("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\",")
                            .contains("\"status\":429,", "\"violated-policies\":[\"limit\"]}");
                });
    }

    @Test
    void without_spring_security_an_authenticated_user_cannot_be_refunded() {
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .withPropertyValues("headgate.web.routes[0].refund-on=authenticated")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("headgate.web.routes: refund-on has authenticated, which needs Spring Security"));
    }

    @Test
    void a_failed_attempt_is_not_refunded_although_another_one_of_the_request_succeeded() {
        application
                .withPropertyValues(
                        "headgate.web.routes[0].refund-on=authenticated",
                        "headgate.web.routes[0].before-authentication=true")
                .run(context -> {
                    String filter = "headgateFilterBeforeAuthentication";
                    Authentication user = new TestingAuthenticationToken("alice", "secret");
                    MockFilterChain succeeds = chain(() -> context.publishEvent(new AuthenticationSuccessEvent(user)));
                    MockFilterChain both = chain(() -> {
                        context.publishEvent(new AuthenticationSuccessEvent(user));
                        context.publishEvent(new AuthenticationFailureBadCredentialsEvent(
                                user, new BadCredentialsException("as the test wants")));
                    });
                    assertThat(send(context, filter, succeeds).getStatus()).isEqualTo(200);
                    assertThat(send(context, filter, both).getStatus()).isEqualTo(200);
                    assertThat(send(context, filter, new MockFilterChain()).getStatus()).isEqualTo(429);
                });
    }

    @Test
    void the_thread_of_the_container_does_not_wait_for_a_refund() {
        CompletableFuture<Long> refund = new CompletableFuture<>();
        UnaryOperator<Object> slow = async -> with(AsyncLimiter.class, async, "refund", refunded -> refund);
        LimitEngine engine = with(
                LimitEngine.class,
                InMemoryLimitEngine.create(),
                "limiter",
                limiter -> with(Limiter.class, limiter, "async", slow));
        application
                .withBean("slow", LimitEngine.class, () -> engine, definition -> definition.setPrimary(true))
                .withPropertyValues(
                        "headgate.web.routes[0].refund-on=2xx", "headgate.web.routes[0].before-authentication=true")
                .run(context -> {
                    String filter = "headgateFilterBeforeAuthentication";
                    assertThat(send(context, filter, new MockFilterChain()).getStatus())
                            .isEqualTo(200);
                    assertThat(refund.getNumberOfDependents()).isPositive();
                });
    }

    /** Returns an object that replaces the results of one method of another object. */
    private static <T> T with(Class<T> type, Object object, String method, UnaryOperator<Object> replacement) {
        InvocationHandler handler = (proxy, called, arguments) -> {
            Object result = called.invoke(object, arguments);
            return called.getName().equals(method) ? replacement.apply(result) : result;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    void an_authenticated_user_is_not_refunded_for_an_error() {
        application
                .withPropertyValues(
                        "headgate.web.routes[0].refund-on=authenticated",
                        "headgate.web.routes[0].before-authentication=true")
                .run(context -> {
                    String filter = "headgateFilterBeforeAuthentication";
                    Authentication user = new TestingAuthenticationToken("alice", "secret");
                    // As a controller answers a wrong one-time code.
                    MockFilterChain wrong = new MockFilterChain() {
                        @Override
                        public void doFilter(ServletRequest request, ServletResponse response) {
                            context.publishEvent(new AuthenticationSuccessEvent(user));
                            ((HttpServletResponse) response).setStatus(403);
                        }
                    };
                    assertThat(send(context, filter, wrong).getStatus()).isEqualTo(403);
                    assertThat(send(context, filter, wrong).getStatus()).isEqualTo(429);
                });
    }

    private static MockFilterChain chain(Runnable action) {
        return new MockFilterChain() {
            @Override
            public void doFilter(ServletRequest request, ServletResponse response) {
                action.run();
            }
        };
    }
}
