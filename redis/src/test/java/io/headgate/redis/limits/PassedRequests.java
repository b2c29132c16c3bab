package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The admitted requests of two versions of a limit, in the order of their times, with checks of how much has passed. */
final class PassedRequests {

    /**
     * An admitted request.
     *
     * @param version the version that admitted it: 0 or 1
     */
    record Admission(int version, long permits, long atMicros) {}

    private final List<Admission> admissions;

    private PassedRequests(List<Admission> admissions) {
        this.admissions = admissions;
    }

    static PassedRequests none() {
        return new PassedRequests(new ArrayList<>());
    }

    void add(int version, long permits, long atMicros) {
        admissions.add(new Admission(version, permits, atMicros));
    }

    long permits() {
        return sum(admissions);
    }

    /** Only those that this version admitted. */
    PassedRequests of(int version) {
        return new PassedRequests(admissions.stream()
                .filter(admission -> admission.version() == version)
                .toList());
    }

    /** Checks that at most so much has passed between two changes of the value at a time. */
    void requireAtMost(long permits, LongFunction<?> part) {
        Map<?, List<Admission>> parts =
                admissions.stream().collect(Collectors.groupingBy(admission -> part.apply(admission.atMicros())));
        assertThat(parts.values()).allSatisfy(inPart -> assertThat(sum(inPart)).isLessThanOrEqualTo(permits));
    }

    /** Checks that at most so much has passed in any time of this length, wherever it starts. */
    void requireAtMostInAny(long lengthMicros, long permits) {
        assertThat(mostInAny(lengthMicros))
                .as("the most in any %d us of %s", lengthMicros, admissions)
                .isLessThanOrEqualTo(permits);
    }

    private long mostInAny(long lengthMicros) {
        long most = 0;
        for (int i = 0; i < admissions.size(); i++) {
            long from = admissions.get(i).atMicros();
            most = Math.max(most, sum(i, admission -> admission.atMicros() < from + lengthMicros));
        }
        return most;
    }

    /** Checks that in any time no more has passed than a bucket of this capacity admits, with this refill in each period. */
    void requireAtMostOfBucket(long capacity, long refillPermits, long periodMicros) {
        for (int i = 0; i < admissions.size(); i++) {
            long parts = 0;
            for (int j = i; j < admissions.size(); j++) {
                parts += admissions.get(j).permits() * periodMicros;
                long elapsed = admissions.get(j).atMicros() - admissions.get(i).atMicros();
                assertThat(parts)
                        .as("from request %d to %d of %s", i, j, admissions)
                        .isLessThanOrEqualTo(capacity * periodMicros + elapsed * refillPermits);
            }
        }
    }

    private long sum(int from, Predicate<Admission> included) {
        return sum(admissions.subList(from, admissions.size()).stream()
                .takeWhile(included)
                .toList());
    }

    private static long sum(List<Admission> some) {
        return some.stream().mapToLong(Admission::permits).sum();
    }

    @Override
    public String toString() {
        return admissions.toString();
    }
}
