package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A program that acquires holds and reports their state, or acquires and releases holds and records when each was held. */
final class HoldProcess {

    /** The lease of a hold, long enough for a busy machine. */
    static final Duration LEASE = Duration.ofSeconds(2);

    private static final int THREADS = 4;

    private HoldProcess() {}

    /** The policy of all processes. */
    static InFlightPolicy policy(String name, long permits) {
        return InFlightPolicy.named(name).rule("limit", permits).lease(LEASE).build();
    }

    /**
     * Arguments: the URL, the policy, its permits. It reads commands: {@code hold 3} acquires three holds and prints how many it has;
     * {@code lost} prints how many are lost; {@code release} releases all and prints how many were released; {@code work 100} acquires
     * and releases a hold that often on each of several threads, prints when each was held, and then {@code done}; {@code end} closes
     * the engine, which releases its holds, and exits.
     */
    public static void main(String[] arguments) throws Exception {
        try (RedisLimitEngine limits = Engines.builder(
                                Engines.settings(arguments[0]).withTimeout(Duration.ofSeconds(10)))
                        .build();
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            InFlightLimiter limiter = limits.inFlight(policy(arguments[1], Long.parseLong(arguments[2])));
            limiter.peek(PermitRequest.global());
            System.out.println("ready");
            serve(limiter, input);
        }
    }

    private static void serve(InFlightLimiter limiter, BufferedReader input) throws IOException, InterruptedException {
        List<Hold> holds = new ArrayList<>();
        for (String line = input.readLine(); line != null && !line.equals("end"); line = input.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "hold" -> {
                    for (int i = Integer.parseInt(words[1]); i > 0; i--) {
                        holds.add(limiter.tryAcquire(PermitRequest.global()));
                    }
                    print("held", holds.stream().filter(Hold::allowed).count());
                }
                case "lost" -> print("lost", holds.stream().filter(Hold::isLost).count());
                case "release" ->
                    print("released", holds.stream().filter(Hold::release).count());
                case "work" -> {
                    work(limiter, Integer.parseInt(words[1])).forEach(System.out::println);
                    System.out.println("done");
                }
                default -> throw new IllegalArgumentException(line);
            }
        }
    }

    private static void print(String what, long number) {
        System.out.println(what + " " + number);
    }

    private static Queue<String> work(InFlightLimiter limiter, int times) throws InterruptedException {
        Queue<String> held = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> acquireAndRelease(limiter, times, held));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return held;
    }

    private static void acquireAndRelease(InFlightLimiter limiter, int times, Queue<String> held) {
        for (int i = 0; i < times; i++) {
            try {
                Hold hold = limiter.acquire(PermitRequest.global(), Duration.ofMinutes(1));
                long fromMicros = Micros.of(hold.inFlight().at());
                // The time of Redis's clock before the release is sent.
                long toMicros = Micros.of(limiter.peek(PermitRequest.global()).at());
                if (hold.release()) {
                    held.add("from " + fromMicros + " to " + toMicros);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
