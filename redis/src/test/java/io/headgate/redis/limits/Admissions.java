package io.headgate.redis.limits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Checks the replies that several processes received for one key of a sliding window, in both directions: that no window holds too
 * many permits, and that no denial was wrong.
 *
 * <p>Replies have the time of Redis in microseconds. Several scripts may run within one microsecond, in any order. So the check of
 * a group of replies at one instant only demands what is true in every order.
 */
final class Admissions {

    /**
     * One reply.
     *
     * @param atMicros Redis's time
     * @param limit the permits of the limit that the process used
     * @param delayMicros how long the admitted caller must wait
     */
    record Reply(long atMicros, boolean allowed, long permits, long limit, long delayMicros) {

        static Reply parse(String line) {
            String[] fields = line.split(" ");
            return new Reply(
                    Long.parseLong(fields[0]),
                    Boolean.parseBoolean(fields[1]),
                    Long.parseLong(fields[2]),
                    Long.parseLong(fields[3]),
                    Long.parseLong(fields[4]));
        }

        String line() {
            return atMicros + " " + allowed + " " + permits + " " + limit + " " + delayMicros;
        }
    }

    private final List<Reply> replies;
    private final long windowMicros;
    private final List<String> faults = new ArrayList<>();

    private Admissions(List<Reply> replies, long windowMicros) {
        this.replies = replies.stream()
                .sorted(Comparator.comparingLong(Reply::atMicros))
                .toList();
        this.windowMicros = windowMicros;
    }

    /** Everything that is wrong with the replies; empty if they are correct. */
    static List<String> faults(List<Reply> replies, long windowMicros) {
        Admissions admissions = new Admissions(replies, windowMicros);
        admissions.check();
        return admissions.faults;
    }

    private void check() {
        long live = 0;
        int oldest = 0;
        for (int i = 0; i < replies.size(); ) {
            long now = replies.get(i).atMicros();
            int end = i;
            while (end < replies.size() && replies.get(end).atMicros() == now) {
                end++;
            }
            for (; oldest < i && replies.get(oldest).atMicros() <= now - windowMicros; oldest++) {
                live -= charged(replies.get(oldest));
            }
            List<Reply> group = replies.subList(i, end);
            long after = live + group.stream().mapToLong(Admissions::charged).sum();
            group.forEach(reply -> checkDenial(reply, after));
            checkAdmissions(group, live, after);
            live = after;
            i = end;
        }
    }

    private static long charged(Reply reply) {
        return reply.allowed() ? reply.permits() : 0;
    }

    private void checkDenial(Reply reply, long most) {
        if (!reply.allowed() && most <= reply.limit() - reply.permits()) {
            faults.add("wrong denial: " + reply.line() + ", while the window held no more than " + most);
        }
    }

    /**
     * The last request decided at an instant counted all others of that instant; each request counted at least the earlier permits and its
     * own.
     */
    private void checkAdmissions(List<Reply> group, long before, long after) {
        long largest = 0;
        for (Reply reply : group) {
            if (reply.allowed()) {
                largest = Math.max(largest, reply.limit());
                if (before + reply.permits() > reply.limit()) {
                    faults.add("too many: " + reply.line() + " on top of " + before);
                }
            }
        }
        if (group.size() > 1 && largest > 0 && after > largest) {
            faults.add("too many: " + group + " make it " + after);
        }
    }
}
