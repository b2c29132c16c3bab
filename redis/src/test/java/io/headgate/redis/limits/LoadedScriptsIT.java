package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The engine loads its scripts before their first call, if its user may load scripts. */
@Timeout(60)
@ServerVersionSensitive
class LoadedScriptsIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final long LIMIT = 100_000;
    private static final Policy POLICY =
            Policy.of("loaded", Limit.slidingWindow(LIMIT, Duration.ofHours(1)), Attributes.KEY);

    private final RedisProbe probe = redis.probe;
    private final FaultProxy proxy = redis.proxy;

    @Test
    void calls_are_answered_in_order_and_scripts_are_loaded_again_after_a_reconnect() {
        try (RedisLimitEngine limits = Engines.builder(proxy.url()).build()) {
            probe.command("SCRIPT", "FLUSH");
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            assertInOrder(Burst.of(100, i -> limiter.tryAcquire("a")), 0);

            proxy.refuseConnections();
            proxy.cutAll();
            probe.command("SCRIPT", "FLUSH");
            proxy.acceptConnections();
            // Two scripts, for one request and for a batch: before the reconnect, and again after it.
            proxy.awaitCommands("SCRIPT", 4, LONG);
            assertInOrder(Burst.of(100, i -> limiter.tryAcquire("a")), 100);
            assertThat(proxy.commandsSeen("EVAL")).isZero();
        }
    }

    @Test
    void without_the_right_to_load_a_script_the_first_call_sends_it() {
        String rights =
                "on >password ~hg:* +evalsha +eval +time +get +set +getrange +strlen +setrange +pexpire +hello +auth";
        List<String> user = new ArrayList<>(List.of("ACL", "SETUSER", "frugal"));
        user.addAll(List.of(rights.split(" ")));
        probe.command(user.toArray(String[]::new));
        String url = proxy.url().replace("redis://", "redis://frugal:password@");
        try (RedisLimitEngine limits = Engines.builder(url).build()) {
            probe.command("SCRIPT", "FLUSH");
            Limiter limiter = limits.limiter(POLICY);
            assertThat(limiter.tryAcquire("a").allowed()).isTrue();
            assertThat(limiter.tryAcquire("a").allowed()).isTrue();
            assertThat(proxy.commandsSeen("EVAL")).isEqualTo(1);
        }
    }

    private static void assertInOrder(Burst burst, long chargedBefore) {
        assertThat(burst.failures()).isEmpty();
        for (int i = 0; i < burst.decisions().size(); i++) {
            assertThat(burst.decisions().get(i).remaining()).isEqualTo(LIMIT - chargedBefore - i - 1);
        }
    }
}
