package io.headgate.spring.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests two processes of a sample application that share a Redis. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class UnderLoadContract {

    private static final int INSTANCES = 2;
    private static final int RESPONSES = 2000;

    private final RedisServer redis;
    private final List<SampleInstance> instances = new ArrayList<>();

    UnderLoadContract() {
        // What Redis has confirmed survives that it is killed.
        redis = RedisServer.startOwn("--appendonly", "yes");
    }

    /** The properties of the application in addition to those of its own. */
    abstract List<String> properties();

    /**
     * Returns a request of the load.
     *
     * @param number the number of the request, from 0
     * @param outage whether Redis is down
     */
    abstract Call call(int number, boolean outage);

    /** Checks all outcomes of the load. */
    void checkAll(List<Outcome> outcomes) {}

    SampleInstance instance(int number) {
        return instances.get(number % INSTANCES);
    }

    @BeforeAll
    void start() {
        List<String> properties = new ArrayList<>(properties());
        properties.addAll(List.of(
                "--spring.data.redis.url=" + redis.url(),
                "--headgate.web.trusted-proxies=127.0.0.0/8",
                "--headgate.redis.expected-instances=" + INSTANCES,
                // A machine that is busy with other tests does not make fallbacks decide.
                "--headgate.redis.timeout=20s",
                "--headgate.redis.budget=20s"));
        instances.addAll(SampleInstance.start(INSTANCES, properties));
    }

    @AfterAll
    void stop() {
        instances.forEach(SampleInstance::close);
        redis.close();
    }

    @Test
    void counts_are_exact_under_load_and_bounded_while_redis_is_down() throws InterruptedException, ExecutionException {
        AtomicBoolean outage = new AtomicBoolean();
        try (Load load = new Load(instances, number -> call(number, outage.get()))) {
            load.awaitResponses(2 * RESPONSES);
            assertThat(load.connections()).isGreaterThanOrEqualTo(Load.CONNECTIONS);

            long killed = System.nanoTime();
            redis.kill();
            load.await("fallbacks to decide", () -> allAre("degraded"));
            outage.set(true);
            load.awaitResponses(RESPONSES);
            outage.set(false);
            load.awaitResponsesOfOutage();
            redis.restart();
            load.await("Redis to decide", () -> allAre("healthy"));
            long recovered = System.nanoTime();
            load.awaitResponses(RESPONSES);

            List<Outcome> outcomes = load.stop();
            Map<KeyLimit, List<Outcome>> byLimit = byLimit(outcomes);
            byLimit.forEach((limit, ofLimit) -> check(limit, ofLimit, killed, recovered));
            assertThat(byLimit.values()).anySatisfy(UnderLoadContract::assertBothInstancesAdmitted);
            assertAllRulesDecided(outcomes);
            checkAll(outcomes);
        }
    }

    private boolean allAre(String state) {
        return instances.stream().allMatch(instance -> instance.state().equals(state));
    }

    /** The outcomes of each key: requests that were admitted, and those that its own limit denied. */
    private static Map<KeyLimit, List<Outcome>> byLimit(List<Outcome> outcomes) {
        Map<KeyLimit, List<Outcome>> byLimit = new HashMap<>();
        for (Outcome outcome : outcomes) {
            for (KeyLimit limit : outcome.call().limits()) {
                if (outcome.admitted() || outcome.deniedBy().contains(limit.rule())) {
                    byLimit.computeIfAbsent(limit, key -> new ArrayList<>()).add(outcome);
                }
            }
        }
        return byLimit;
    }

    /** The bounds are those of the guide about failures of Redis. */
    private static void check(KeyLimit limit, List<Outcome> outcomes, long killed, long recovered) {
        OutcomeChecks all = limit.quota().checks(outcomes);
        long start = outcomes.stream().mapToLong(Outcome::sent).min().orElseThrow();
        long end = outcomes.stream().mapToLong(Outcome::received).max().orElseThrow() + 1;
        if (outcomes.get(0).call().duringOutage()) {
            all.assertAtMost(1, start, end);
            for (int instance = 0; instance < INSTANCES; instance++) {
                int number = instance;
                List<Outcome> ofInstance = outcomes.stream()
                        .filter(outcome -> outcome.call().instance() == number)
                        .toList();
                limit.quota().checks(ofInstance).assertDenialsWereDue(INSTANCES, end);
            }
        } else {
            all.assertAtMost(1, start, killed);
            all.assertDenialsWereDue(1, killed);
            all.assertAtMost(2, start, end);
            all.assertAtMost(1, recovered, end);
        }
    }

    private static void assertBothInstancesAdmitted(List<Outcome> outcomes) {
        assertThat(outcomes.stream().filter(Outcome::admitted).map(outcome -> outcome.call()
                        .instance()))
                .contains(0, 1);
    }

    /** Otherwise, the checks would not check much. */
    private static void assertAllRulesDecided(List<Outcome> outcomes) {
        for (boolean outage : List.of(false, true)) {
            List<Outcome> some = outcomes.stream()
                    .filter(outcome -> outcome.call().duringOutage() == outage)
                    .toList();
            Stream<String> rules = some.stream()
                    .flatMap(outcome -> outcome.call().limits().stream())
                    .map(KeyLimit::rule)
                    .distinct();
            assertThat(some.stream()
                            .flatMap(outcome -> outcome.deniedBy().stream())
                            .distinct())
                    .containsExactlyInAnyOrderElementsOf(rules.toList());
        }
    }
}
