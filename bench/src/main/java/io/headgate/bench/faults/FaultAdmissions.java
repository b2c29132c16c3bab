package io.headgate.bench.faults;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/** What all instances admitted together. */
final class FaultAdmissions {

    private final List<FaultAsker.Admission> admissions;

    FaultAdmissions(List<FaultAsker> askers) {
        this.admissions = askers.stream()
                .flatMap(asker -> asker.admissions().stream())
                .sorted(Comparator.comparingLong(FaultAsker.Admission::askedNanos))
                .toList();
    }

    /** How many in that time. */
    long between(long fromNanos, long toNanos) {
        return admissions.stream()
                .filter(one -> one.askedNanos() - fromNanos >= 0 && one.answeredNanos() - toNanos <= 0)
                .count();
    }

    /** The most that surely were within one window, wherever it begins. */
    long worst(Duration window) {
        long most = 0;
        for (int i = 0; i < admissions.size(); i++) {
            long from = admissions.get(i).askedNanos();
            long to = from + window.toNanos();
            long within = 0;
            for (int j = i; j < admissions.size() && admissions.get(j).askedNanos() - to < 0; j++) {
                within += admissions.get(j).answeredNanos() - to < 0 ? 1 : 0;
            }
            most = Math.max(most, within);
        }
        return most;
    }
}
