package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow.Unit;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The number of scripts that an engine loads for requests to several policies is bounded. */
class CombinedScriptsIT {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final long LIMIT = 10_000;

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private final RedisLimitEngine limits =
            Engines.builder(redis.proxy.url()).maxCachedDenials(0).build();

    /** One limiter of each kind of limit. */
    private final List<Limiter> limiters = List.of(
            limits.limiter("leaky", Limit.leakyBucket(LIMIT, 1, HOUR)),
            limits.limiter("fixed", Limit.fixedWindow(LIMIT, DAY)),
            limits.limiter("calendar", Limit.calendarWindow(LIMIT, Unit.MONTH, ZoneOffset.UTC)),
            limits.limiter("token", Limit.tokenBucket(LIMIT, 1, HOUR)),
            limits.limiter("sliding", Limit.slidingWindow(LIMIT, DAY)),
            limits.limiter("counter", Limit.slidingCounter(LIMIT, DAY)));

    @AfterEach
    void close() {
        limits.close();
    }

    /** The scripts that were loaded: the engine sends one SCRIPT LOAD for each. */
    private long loadedScripts() {
        return redis.proxy.commandsSeen("SCRIPT");
    }

    @Test
    void all_orders_of_the_same_policies_share_one_script() {
        List<List<Limiter>> orders = orders(limiters.subList(0, 4));
        long before = loadedScripts();
        for (List<Limiter> order : orders) {
            List<CombinedRequest.Part> parts = new ArrayList<>();
            for (Limiter limiter : order) {
                long permits = 1L + limiters.indexOf(limiter);
                parts.add(
                        new CombinedRequest.Part(limiter, PermitRequest.of("a").withPermits(permits)));
            }
            assertThat(limits.tryAcquire(new CombinedRequest(parts)).decisions())
                    .extracting(decision -> decision.policyName())
                    .containsExactlyElementsOf(order.stream()
                            .map(limiter -> limiter.policy().name())
                            .toList());
        }
        assertThat(loadedScripts() - before).isEqualTo(1);
        for (int i = 0; i < 4; i++) {
            assertThat(limiters.get(i).peek("a").remaining()).isEqualTo(LIMIT - 24L * (i + 1));
        }
    }

    @Test
    void beyond_256_combined_scripts_policies_are_decided_by_separate_calls() {
        List<List<Limiter>> selections = new ArrayList<>();
        select(0, List.of(), selections);
        assertThat(selections).hasSize(461);
        long[] requested = new long[limiters.size()];
        long before = loadedScripts();
        for (List<Limiter> selection : selections) {
            CombinedRequest request = request(selection);
            for (CombinedRequest.Part part : request.parts()) {
                requested[limiters.indexOf(part.limiter())] += part.request().permits();
            }
            assertThat(limits.tryAcquire(request).allowed()).isTrue();
        }
        // 256 combined scripts. Then one script for the separate call of each kind of limit (reserve.lua), except leaky
        // buckets: all requests with one are among the first 256.
        assertThat(loadedScripts() - before).isEqualTo(256 + limiters.size() - 1);
        for (int i = 0; i < requested.length; i++) {
            assertThat(charged(limiters.get(i))).isEqualTo(requested[i]);
        }

        // A request that is decided by separate calls is charged to all policies, or to none.
        Limiter last = limiters.get(5);
        last.tryAcquire(PermitRequest.of("0").withPermits(last.peek("0").remaining()));
        List<Long> charged = limiters.stream().map(CombinedScriptsIT::charged).toList();
        List<Limiter> all =
                List.of(limiters.get(0), limiters.get(1), limiters.get(2), limiters.get(3), limiters.get(4), last);
        assertThat(limits.tryAcquire(request(all)).denied()).isTrue();
        Await.until("all refunds", Duration.ofSeconds(20), () -> limits.callsInFlight() == 0);
        assertThat(limiters).extracting(CombinedScriptsIT::charged).containsExactlyElementsOf(charged);
    }

    /** A request to these limiters. Parts with the same limiter have different ids. */
    private CombinedRequest request(List<Limiter> selection) {
        List<CombinedRequest.Part> parts = new ArrayList<>();
        for (int i = 0; i < selection.size(); i++) {
            String id = Integer.toString(i - selection.indexOf(selection.get(i)));
            parts.add(new CombinedRequest.Part(
                    selection.get(i), PermitRequest.of(id).withPermits(i + 1)));
        }
        return new CombinedRequest(parts);
    }

    private static long charged(Limiter limiter) {
        long charged = 0;
        for (int id = 0; id < 5; id++) {
            charged += LIMIT - limiter.peek(Integer.toString(id)).remaining();
        }
        return charged;
    }

    /** Collects all selections of one to five limiters, with repetition. */
    private void select(int from, List<Limiter> selected, List<List<Limiter>> selections) {
        for (int i = from; i < limiters.size() && selected.size() < 5; i++) {
            List<Limiter> more = new ArrayList<>(selected);
            more.add(limiters.get(i));
            selections.add(more);
            select(i, more, selections);
        }
    }

    private static List<List<Limiter>> orders(List<Limiter> of) {
        if (of.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Limiter>> orders = new ArrayList<>();
        for (Limiter first : of) {
            List<Limiter> others = new ArrayList<>(of);
            others.remove(first);
            for (List<Limiter> rest : orders(others)) {
                List<Limiter> order = new ArrayList<>(List.of(first));
                order.addAll(rest);
                orders.add(order);
            }
        }
        return orders;
    }
}
