package io.headgate.redis.limits;

import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.testkit.Await;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A program that pauses a partner, or requests permits of it, as each line of its input requires. */
final class PausingProcess {

    private PausingProcess() {}

    /** Argument: the URL. Lines of input: {@code pause ID}, {@code try ID}, or {@code await ID}, which waits until it is paused. */
    public static void main(String[] arguments) throws Exception {
        try (RedisLimitEngine limits = Engines.builder(arguments[0]).build();
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Limiter limiter = limits.limiter(Policy.named("partners")
                    .rule("calls", Limit.tokenBucket(1000, 1000, Duration.ofMinutes(1)), "partner")
                    .pausable()
                    .build());
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String id = line.substring(line.indexOf(' ') + 1);
                if (line.startsWith("pause ")) {
                    limiter.pause(id, Duration.ofHours(1));
                    System.out.println("paused");
                } else {
                    if (line.startsWith("await ")) {
                        Await.until(
                                "pause",
                                Duration.ofSeconds(45),
                                () -> limiter.tryAcquire(id).basis() == Basis.PAUSED);
                    }
                    System.out.println(id + " " + limiter.tryAcquire(id).basis());
                }
            }
        }
    }
}
