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

/** What several {@link JobTaker}s have written down, and the check that it is as it must be. */
final class JobHistory {

    /** What every line that was written whole ends with. */
    static final String WHOLE = " .";

    /** A job in somebody's hands, as far as that is known. */
    private static final class Hold {

        final String job;
        final int delivery;
        final long claimedAt;
        final long dueAt;
        long expiresAt;

        /** Whether it was handed back before it expired, so that another worker may have claimed it since. */
        boolean givenBack;

        boolean acked;

        Hold(String[] words) {
            this.job = words[1];
            this.delivery = Integer.parseInt(words[2]);
            this.claimedAt = Long.parseLong(words[3]);
            this.expiresAt = Long.parseLong(words[4]);
            this.dueAt = Long.parseLong(words[5]);
        }
    }

    private final Map<String, List<Hold>> holds = new HashMap<>();
    private final Set<String> acking = new HashSet<>();
    private int troubles;

    /** Reads what one process has written. */
    void read(List<String> lines) {
        Map<String, Hold> own = new HashMap<>();
        for (String line : lines) {
            String[] words = line.split(" ");
            if (!line.endsWith(WHOLE)) {
                continue;
            }
            if (words[0].equals("claimed")) {
                Hold hold = new Hold(words);
                own.put(words[1], hold);
                holds.computeIfAbsent(hold.job, job -> new ArrayList<>()).add(hold);
            } else if (words[0].equals("trouble")) {
                troubles++;
            } else if (words.length > 3) {
                note(Objects.requireNonNull(own.get(words[1])), words);
            }
        }
    }

    private void note(Hold hold, String[] words) {
        if (words[0].equals("acking")) {
            acking.add(hold.job);
            return;
        }
        if (words[0].equals("backing")) {
            // Where no answer is written, it may have been done.
            hold.givenBack = true;
            return;
        }
        boolean done = words[3].equals(Settled.DONE.name());
        switch (words[0]) {
            case "back" -> hold.givenBack = done;
            case "extended" -> hold.expiresAt = done ? Long.parseLong(words[4]) : hold.expiresAt;
            case "acked" -> hold.acked |= done;
            default -> throw new AssertionError(String.join(" ", words));
        }
    }

    int claims() {
        return holds.values().stream().mapToInt(List::size).sum();
    }

    int troubles() {
        return troubles;
    }

    /** Fails unless every one of these jobs was done by somebody. */
    void requireDone(Set<String> jobs) {
        assertThat(acking).containsAll(jobs);
    }

    /** Fails if two had a job at once, or one before it was due, or after it was done. */
    void requireNoOverlap() {
        for (List<Hold> ofJob : holds.values()) {
            ofJob.sort(Comparator.comparing(hold -> hold.claimedAt));
            for (int i = 0; i < ofJob.size(); i++) {
                Hold hold = ofJob.get(i);
                assertThat(hold.claimedAt).as(hold.job).isGreaterThanOrEqualTo(hold.dueAt);
                if (i > 0) {
                    requireAfter(ofJob.get(i - 1), hold);
                }
            }
        }
    }

    private static void requireAfter(Hold before, Hold hold) {
        assertThat(before.acked)
                .as("%s was handed out after it was acked", hold.job)
                .isFalse();
        assertThat(hold.delivery).as(hold.job).isGreaterThan(before.delivery);
        if (!before.givenBack) {
            assertThat(hold.claimedAt)
                    .as("%s, delivery %d, while delivery %d was held", hold.job, hold.delivery, before.delivery)
                    .isGreaterThanOrEqualTo(before.expiresAt);
        }
    }
}
