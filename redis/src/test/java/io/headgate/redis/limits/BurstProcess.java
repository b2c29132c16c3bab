package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** A program that requests permits of one key in bursts, and records each admission before the next request. */
final class BurstProcess {

    /** Each burst ends with a denial, or after a random number of requests below this. */
    private static final int MAX_BURST = 400;

    private static final int MAX_PAUSE_MICROS = 40_000;

    static final int PERMITS_PER_SECOND = 1000;
    static final Duration PERIOD = Duration.ofSeconds(1);

    /** The kind of limit of all processes. */
    enum Kind {
        WINDOW,
        BUCKET;

        Limit limit() {
            return switch (this) {
                case WINDOW -> Limit.slidingWindow(PERMITS_PER_SECOND, PERIOD);
                case BUCKET -> Limit.tokenBucket(250, PERMITS_PER_SECOND, PERIOD);
            };
        }
    }

    /** The beginning of the line that is printed after each burst; the time follows. */
    static final String BURST = "burst ";

    /** The duration of a lease: so short that the test would detect a paused process that spends permits of an expired lease. */
    static final Duration LEASE = Duration.ofMillis(10);

    /**
     * An admission, at some time between two readings of the monotonic clock that all processes of a machine share.
     *
     * @param leased whether a leased permit was spent
     */
    record Admission(long beforeNanos, long afterNanos, boolean leased) {}

    private BurstProcess() {}

    /** The arguments are a URL, the kind, the policy's name, whether it is leased, a seed, and the file to write to. Ends on any input. */
    public static void main(String[] arguments) throws IOException {
        RedisLimitEngine engine = Engines.builder(arguments[0]).build();
        Policy.Builder policy = Policy.named(arguments[2])
                .rule("limit", Kind.valueOf(arguments[1]).limit(), Attributes.KEY);
        Limiter limiter = engine.limiter((Boolean.parseBoolean(arguments[3]) ? policy.leased(LEASE) : policy).build());
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[4]));
        // Not buffered, so that the file is complete when this process is killed.
        try (DataOutputStream file = new DataOutputStream(Files.newOutputStream(Path.of(arguments[5])))) {
            System.out.println("ready");
            while (System.in.available() == 0) {
                spend(limiter, random.nextInt(MAX_BURST), file);
                System.out.println(BURST + System.nanoTime());
                LockSupport.parkNanos(1000L * random.nextInt(MAX_PAUSE_MICROS));
            }
        }
        engine.close();
        System.exit(0);
    }

    private static void spend(Limiter limiter, int most, DataOutputStream file) throws IOException {
        byte[] line = new byte[2 * Long.BYTES + 1];
        for (int i = 0; i < most; i++) {
            long before = System.nanoTime();
            Decision decision = limiter.tryAcquire("hot");
            long after = System.nanoTime();
            if (decision.denied()) {
                return;
            }
            ByteBuffer.wrap(line).putLong(before).putLong(after).put((byte)
                    (decision.basis() == Decision.Basis.LEASED ? 1 : 0));
            file.write(line);
        }
    }

    /** Reads the admissions that a process recorded until it ended. */
    static List<Admission> read(Path file) throws IOException {
        List<Admission> admissions = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (true) {
                admissions.add(new Admission(in.readLong(), in.readLong(), in.readByte() == 1));
            }
        } catch (EOFException e) {
            return admissions;
        }
    }
}
