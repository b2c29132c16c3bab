package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Priority;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Checks that one claim in a queue with tenants is fair, whatever was claimed before. */
final class FairClaim {

    private FairClaim() {}

    /**
     * Asserts that a claim takes the highest priorities first and divides each priority evenly among tenants.
     *
     * @param due the jobs that were due, by priority, due time and number
     * @param claimed the jobs that were claimed, in their order
     * @param max the maximum number of jobs of the claim
     */
    static void check(List<ModelJob> due, List<ModelJob> claimed, int max) {
        assertThat(claimed).doesNotHaveDuplicates().hasSize(Math.min(max, due.size()));
        assertThat(claimed).isSortedAccordingTo(Comparator.comparing(job -> job.priority));
        int room = max;
        for (Priority priority : Priority.values()) {
            List<ModelJob> dueOfPriority = of(due, priority);
            List<ModelJob> claimedOfPriority = of(claimed, priority);
            assertThat(claimedOfPriority)
                    .as("a higher priority goes first, whichever tenant has it")
                    .hasSize(Math.min(room, dueOfPriority.size()));
            room -= claimedOfPriority.size();
            check(byTenant(dueOfPriority), byTenant(claimedOfPriority));
        }
    }

    private static void check(Map<String, List<ModelJob>> due, Map<String, List<ModelJob>> claimed) {
        long mostOfOneTenant =
                claimed.values().stream().mapToLong(List::size).max().orElse(0);
        assertThat(due.keySet()).containsAll(claimed.keySet());
        due.forEach((tenant, jobs) -> {
            List<ModelJob> own = claimed.getOrDefault(tenant, List.of());
            assertThat(own)
                    .as("jobs of a tenant are in the order of due time and number")
                    .isEqualTo(jobs.subList(0, own.size()));
            if (own.size() < jobs.size()) {
                assertThat((long) own.size())
                        .as("a tenant with unclaimed due jobs got at most one job less than any other: " + tenant)
                        .isGreaterThanOrEqualTo(mostOfOneTenant - 1);
            }
        });
    }

    private static List<ModelJob> of(List<ModelJob> jobs, Priority priority) {
        return jobs.stream().filter(job -> job.priority == priority).toList();
    }

    private static Map<String, List<ModelJob>> byTenant(List<ModelJob> jobs) {
        return jobs.stream()
                .collect(Collectors.groupingBy(
                        job -> job.tenant, TreeMap::new, Collectors.toCollection(ArrayList::new)));
    }
}
