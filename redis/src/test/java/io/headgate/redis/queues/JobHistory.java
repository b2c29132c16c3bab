package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Settled;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The claims and settlements that several child JVMs, each a {@link RandomWorkerProcess}, have logged, and assertions about them. */
final class JobHistory {

    /** The end of every complete line. */
    static final String END_OF_LINE = " .";

    /** A delivery of a job to one process, as far as its log shows. */
    private static final class Delivery {

        final String job;
        final int number;
        final long claimedAt;
        final long dueAt;
        long expiresAt;

        /** Whether it was or may have been handed back or retried before it expired, so that another process may have claimed the job. */
        boolean returned;

        boolean acked;

        /**
         * Parses "claimed", the job, the number of its delivery, when it was claimed, when the lease expires, and when the job was due, in
         * microseconds since 1970.
         */
        Delivery(String[] words) {
            this.job = words[1];
            this.number = Integer.parseInt(words[2]);
            this.claimedAt = Long.parseLong(words[3]);
            this.expiresAt = Long.parseLong(words[4]);
            this.dueAt = Long.parseLong(words[5]);
        }
    }

    private final Map<String, List<Delivery>> byJob = new HashMap<>();
    private final Set<String> acking = new HashSet<>();
    private int failedCalls;

    /** Adds the log of one process. */
    void read(List<String> lines) {
        Map<String, Delivery> own = new HashMap<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            if (!line.endsWith(END_OF_LINE)) {
                continue;
            }
            if (words[0].equals("claimed")) {
                Delivery delivery = new Delivery(words);
                own.put(words[1], delivery);
                byJob.computeIfAbsent(delivery.job, job -> new ArrayList<>()).add(delivery);
            } else if (words[0].equals("failed")) {
                failedCalls++;
            } else if (words.length > 3) {
                // Any line but "ready".
                addSettlement(Objects.requireNonNull(own.get(words[1])), words);
            }
        }
    }

    private void addSettlement(Delivery delivery, String[] words) {
        if (words[0].equals("acking")) {
            acking.add(delivery.job);
            return;
        }
        if (words[0].equals("returning")) {
            // If no result follows, the call may have taken effect.
            delivery.returned = true;
            return;
        }
        boolean done = words[3].equals(Settled.DONE.name());
        switch (words[0]) {
            case "returned" -> delivery.returned = done;
            case "extended" -> delivery.expiresAt = done ? Long.parseLong(words[4]) : delivery.expiresAt;
            case "acked" -> delivery.acked |= done;
            default -> throw new AssertionError(String.join(" ", words));
        }
    }

    int claims() {
        return byJob.values().stream().mapToInt(List::size).sum();
    }

    int failedCalls() {
        return failedCalls;
    }

    /** Asserts that some process handled each of these jobs and began to ack it. */
    void assertDone(Set<String> jobs) {
        assertThat(acking).containsAll(jobs);
    }

    /** Asserts that no two processes held a job at the same time, and none held it before it was due or after it was acked. */
    void assertNoOverlap() {
        for (List<Delivery> ofJob : byJob.values()) {
            ofJob.sort(Comparator.comparing(delivery -> delivery.claimedAt));
            for (int i = 0; i < ofJob.size(); i++) {
                Delivery delivery = ofJob.get(i);
                assertThat(delivery.claimedAt).as(delivery.job).isGreaterThanOrEqualTo(delivery.dueAt);
                if (i > 0) {
                    assertAfter(ofJob.get(i - 1), delivery);
                }
            }
        }
    }

    private static void assertAfter(Delivery before, Delivery delivery) {
        assertThat(before.acked)
                .as("%s was handed out after it was acked", delivery.job)
                .isFalse();
        assertThat(delivery.number).as(delivery.job).isGreaterThan(before.number);
        if (!before.returned) {
            assertThat(delivery.claimedAt)
                    .as("%s, delivery %d, while delivery %d was held", delivery.job, delivery.number, before.number)
                    .isGreaterThanOrEqualTo(before.expiresAt);
        }
    }
}
