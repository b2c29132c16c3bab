package io.headgate.spring.web.internal;

import io.headgate.spring.web.WebProperties;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.limits.Policy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.web.util.pattern.PathPatternParser;

/** Routes on an engine in memory. Policies: {@code user} and {@code ip} count by that dimension, {@code all} has none. */
final class RouteFixture implements AutoCloseable {

    static final Duration HOUR = Duration.ofHours(1);

    final LimitEngine engine = InMemoryLimitEngine.create();
    UnaryOperator<Object> results = UnaryOperator.identity();
    PathPatternParser paths = PathPatternParser.defaultInstance;
    final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    final PolicyRegistry registry = new PolicyRegistry(
            engine,
            Policies.of(
                    List.of(
                            Policy.of("user", Limit.slidingWindow(2, HOUR), "user"),
                            Policy.of("ip", Limit.slidingWindow(2, HOUR), "ip"),
                            Policy.of("all", Limit.slidingWindow(2, HOUR)),
                            Policy.named("plans")
                                    .rule("r", Limit.slidingWindow(2, HOUR), "user")
                                    .override(
                                            "r",
                                            Attributes.of("plan", "gold"),
                                            Limit.slidingWindow(4, HOUR))
                                    .build(),
                            Policy.named("both")
                                    .rule("per-ip", Limit.slidingWindow(3, HOUR), "ip")
                                    .rule("per-user", Limit.slidingWindow(2, HOUR), "user")
                                    .build(),
                            Policy.of("shaped", Limit.leakyBucket(5, 1, Duration.ofSeconds(1)).shaper())),
                    List.of(InFlightPolicy.of("exports", 3))));

    /** Returns a request with each kind of value. */
    static FakeWebRequest request() {
        return FakeWebRequest.get("/orders/a%20b/x?q=x+y&twice=1&twice=1")
                .header("X-Key", "k")
                .header("Cookie", "c=cookie")
                .user("alice");
    }

    /** Decides a request after authentication. */
    static RouteDecision decide(RouteDecider decider, WebRequest request) {
        return decider.decide(request, Phase.AFTER_AUTHENTICATION, RouteDecision.NotLimited.UNMATCHED);
    }

    long remaining(String policy, String id) {
        return registry.limiter(policy).peek(id).remaining();
    }

    /** Compiles the routes of a YAML text, which has the properties below {@code headgate.web}. */
    Routes routes(String yaml) {
        return RouteCompiler.compile(properties(yaml), registry, beans, results, paths);
    }

    static WebProperties properties(String yaml) {
        StandardEnvironment environment = new StandardEnvironment();
        try {
            new YamlPropertySourceLoader()
                    .load("test", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                    .forEach(environment.getPropertySources()::addFirst);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Binder.get(environment).bindOrCreate("", WebProperties.class);
    }

    RouteDecider decider(String yaml) {
        return new RouteDecider(
                routes(yaml), registry, engine, properties(yaml), DecisionObserver.NONE);
    }

    @Override
    public void close() {
        engine.close();
    }
}
