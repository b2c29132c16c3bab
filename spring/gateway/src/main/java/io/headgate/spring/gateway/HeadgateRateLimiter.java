package io.headgate.spring.gateway;

import io.headgate.config.ConfigException;
import io.headgate.http.RateLimitFields;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.RequestValues;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.ConfigurationService;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The limiter of the gateway's filter {@code RequestRateLimiter}, with the arguments and header fields of the gateway's own {@code
 * RedisRateLimiter}. Each route and key has a token bucket on the engine of the application. It never blocks. Safe for use by any number of
 * threads.
 */
public final class HeadgateRateLimiter extends AbstractRateLimiter<HeadgateRateLimiter.Config> {

    private static final Log LOG = LogFactory.getLog(HeadgateRateLimiter.class);

    /** The name of the gateway's filter in YAML. */
    static final String FILTER = "RequestRateLimiter";

    /** The arguments of routes begin with it, as those of the gateway's own limiter. */
    static final String ARGUMENTS = "redis-rate-limiter";

    /** The argument that the gateway's own limiter does not have. */
    static final String PERIOD = "replenishPeriod";

    private static final List<String> NAMES = List.of("replenishRate", PERIOD, "burstCapacity", "requestedTokens");

    private static final int MAX_LIMITERS = 10_000;
    private static final int MAX_NAME = 40;
    private static final Pattern NOT_IN_NAMES = Pattern.compile("[^A-Za-z0-9._-]");

    private final LimitEngine engine;
    private final FailureLog failures = new FailureLog(FILTER);
    private final Map<String, RouteLimiter> limiters = new ConcurrentHashMap<>();

    private boolean includeHeaders = true;
    private String remainingHeader = "X-RateLimit-Remaining";
    private String replenishRateHeader = "X-RateLimit-Replenish-Rate";
    private String burstCapacityHeader = "X-RateLimit-Burst-Capacity";
    private String requestedTokensHeader = "X-RateLimit-Requested-Tokens";

    HeadgateRateLimiter(LimitEngine engine, ConfigurationService service) {
        super(Config.class, ARGUMENTS, service);
        this.engine = engine;
    }

    /** The limit of a route, and the values of its bucket. */
    private record RouteLimiter(AsyncLimiter limiter, long rate, long capacity, Duration period) {

        boolean has(Config config) {
            return rate == config.replenishRate
                    && capacity == config.burstCapacity
                    && period.equals(config.replenishPeriod);
        }
    }

    /** The limit of a route. */
    public static final class Config {

        private long replenishRate = 1;
        private long burstCapacity = 1;
        private long requestedTokens = 1;
        private Duration replenishPeriod = Duration.ofSeconds(1);

        /** Creates a limit of one request a second. */
        public Config() {}

        /** Sets the tokens that are added in each period: 1 to 1 000 000 000. */
        public void setReplenishRate(long tokens) {
            replenishRate = inRange("replenishRate", tokens, 1);
        }

        /** Sets the tokens of a full bucket: 0 to 1 000 000 000. 0 denies all requests. */
        public void setBurstCapacity(long tokens) {
            burstCapacity = inRange("burstCapacity", tokens, 0);
        }

        /** Sets the tokens that a request needs: 1 to 1 000 000 000. */
        public void setRequestedTokens(long tokens) {
            requestedTokens = inRange("requestedTokens", tokens, 1);
        }

        /** Sets the period in which the tokens of {@code replenishRate} are added: 1 ms to 366 days, 1 s by default. */
        public void setReplenishPeriod(Duration period) {
            // The limit checks the range.
            Limit.tokenBucket(1, 1, period);
            replenishPeriod = period;
        }

        private static long inRange(String name, long value, long min) {
            if (value < min || value > 1_000_000_000) {
                throw new IllegalArgumentException(
                        name + " must be between " + min + " and 1000000000, but was " + value);
            }
            return value;
        }
    }

    /** Registers the limit of a route. If its arguments are wrong, the problem is logged, and the route denies all requests. */
    @Override
    public void onApplicationEvent(FilterArgsEvent event) {
        try {
            super.onApplicationEvent(event);
        } catch (BindException e) {
            LOG.error("The requests of a route are denied, because an argument is wrong. "
                    + ArgumentBinder.problem(nameIn(event.getRouteId()), ARGUMENTS, e));
            Config closed = new Config();
            closed.burstCapacity = 0;
            getConfig().put(event.getRouteId(), closed);
        }
    }

    private static String nameIn(String routeId) {
        return "route " + routeId + ": " + ARGUMENTS;
    }

    /**
     * Checks the arguments of a route.
     *
     * @throws ConfigException if an argument is wrong
     */
    static void check(String routeId, Map<String, String> arguments) {
        String filter = nameIn(routeId);
        List<String> problems = new ArrayList<>();
        arguments.keySet().stream()
                .filter(name -> name.startsWith(ARGUMENTS + "."))
                .map(name -> name.substring(ARGUMENTS.length() + 1))
                .filter(name -> !FilterArguments.isOneOf(NAMES, name))
                .forEach(name -> problems.add(filter + ": " + ArgumentBinder.unknown(name, NAMES)));
        Config config = ArgumentBinder.bind(filter, ARGUMENTS, arguments, Config.class, problems);
        if (problems.isEmpty() && config.burstCapacity > 0 && config.requestedTokens > config.burstCapacity) {
            problems.add(filter + ".requestedTokens: must be at most " + config.burstCapacity
                    + ", the burstCapacity, which otherwise denies all requests, but was " + config.requestedTokens);
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        Config config = getConfig().get(routeId);
        if (config == null) {
            config = getConfig().get(RouteDefinitionRouteLocator.DEFAULT_FILTERS);
        }
        if (config == null) {
            failures.failed(
                    "",
                    "the request is denied",
                    new IllegalStateException("route " + routeId + " needs the arguments " + ARGUMENTS
                            + ".replenishRate and " + ARGUMENTS + ".burstCapacity"));
            return later(CompletableFuture.completedFuture(new Response(false, Map.of())));
        }
        return decide(routeId, id.isEmpty() ? RequestValues.ABSENT + "unknown" : id, config);
    }

    private Mono<Response> decide(String routeId, String id, Config config) {
        CompletableFuture<Decision> decision;
        try {
            decision = limiter(routeId, config)
                    .tryAcquire(PermitRequest.of(id).withPermits(config.requestedTokens))
                    .toCompletableFuture();
        } catch (RuntimeException e) {
            decision = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Response> response = decision.handle((decided, failure) -> {
            if (failure != null) {
                failures.failed("", "the request is not limited", failure);
                return new Response(true, fields(config, -1));
            }
            return response(config, decided);
        });
        return response.isDone() && response.join().isAllowed() ? Mono.just(response.join()) : later(response);
    }

    /**
     * Emits on another thread: not on one of the engine, which the application could block; and a denial not on the event loop, where its
     * response could be complete before Netty has finished the last one of its connection, from which it would then read no more.
     */
    private static Mono<Response> later(CompletableFuture<Response> response) {
        return Mono.fromFuture(response, true).publishOn(Schedulers.parallel());
    }

    private Response response(Config config, Decision decision) {
        Map<String, String> fields = fields(config, decision.decisive().isPresent() ? decision.remaining() : -1);
        RateLimitFields.retryAfterSeconds(decision)
                .ifPresent(seconds -> fields.put(RateLimitFields.RETRY_AFTER, seconds.toString()));
        return new Response(decision.allowed(), fields);
    }

    private Map<String, String> fields(Config config, long remaining) {
        Map<String, String> fields = new HashMap<>();
        if (includeHeaders) {
            fields.put(remainingHeader, Long.toString(remaining));
            fields.put(replenishRateHeader, Long.toString(config.replenishRate));
            fields.put(burstCapacityHeader, Long.toString(config.burstCapacity));
            fields.put(requestedTokensHeader, Long.toString(config.requestedTokens));
        }
        return fields;
    }

    private AsyncLimiter limiter(String routeId, Config config) {
        RouteLimiter known = limiters.get(routeId);
        if (known == null || !known.has(config)) {
            if (limiters.size() >= MAX_LIMITERS) {
                // Routes that were removed. The counts are the engine's, so nothing is lost.
                limiters.clear();
            }
            Limit limit = Limit.tokenBucket(config.burstCapacity, config.replenishRate, config.replenishPeriod);
            known = new RouteLimiter(
                    engine.limiter(Policy.of(policyName(routeId), limit, "key")).async(),
                    config.replenishRate,
                    config.burstCapacity,
                    config.replenishPeriod);
            limiters.put(routeId, known);
        }
        return known.limiter;
    }

    /** Returns the name of a route's policy; different for different routes. */
    static String policyName(String routeId) {
        String allowed = NOT_IN_NAMES.matcher(routeId).replaceAll("_");
        if (allowed.equals(routeId) && allowed.length() <= MAX_NAME) {
            return "gateway." + routeId;
        }
        String hash = UUID.nameUUIDFromBytes(routeId.getBytes(StandardCharsets.UTF_8))
                .toString()
                .substring(0, 13);
        return "gateway." + allowed.substring(0, Math.min(allowed.length(), MAX_NAME)) + "." + hash;
    }

    /** Sets whether responses have the fields with the state of the limit. */
    public void setIncludeHeaders(boolean include) {
        includeHeaders = include;
    }

    /** Sets the name of the field with the remaining tokens. */
    public void setRemainingHeader(String name) {
        remainingHeader = name;
    }

    /** Sets the name of the field with the replenish rate. */
    public void setReplenishRateHeader(String name) {
        replenishRateHeader = name;
    }

    /** Sets the name of the field with the burst capacity. */
    public void setBurstCapacityHeader(String name) {
        burstCapacityHeader = name;
    }

    /** Sets the name of the field with the requested tokens. */
    public void setRequestedTokensHeader(String name) {
        requestedTokensHeader = name;
    }
}
