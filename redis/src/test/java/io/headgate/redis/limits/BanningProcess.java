package io.headgate.redis.limits;

import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.testkit.Await;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A program that bans a user, or requests permits of one, as each line of its input requires. */
final class BanningProcess {

    private BanningProcess() {}

    /** Argument: the URL. Lines of input: {@code ban ID}, {@code try ID}, or {@code await ID}, which waits until it is banned. */
    public static void main(String[] arguments) throws Exception {
        try (RedisLimitEngine limits = Engines.builder(arguments[0]).bans(true).build();
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            Limiter limiter = limits.limiter(Policy.named("api")
                    .rule("calls", Limit.slidingWindow(1000, Duration.ofHours(1)), "user")
                    .build());
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String user = line.substring(line.indexOf(' ') + 1);
                if (line.startsWith("ban ")) {
                    limits.bans().add(BanRequest.ban(BanTarget.user(user)).lasting(Duration.ofHours(1)));
                    System.out.println("banned");
                } else {
                    if (line.startsWith("await ")) {
                        Await.until(
                                "ban",
                                Duration.ofSeconds(45),
                                () -> limiter.tryAcquire(user).basis() == Basis.BANNED);
                    }
                    System.out.println(user + " " + limiter.tryAcquire(user).basis());
                }
            }
        }
    }
}
