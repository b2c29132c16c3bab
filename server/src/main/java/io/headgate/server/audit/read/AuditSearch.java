package io.headgate.server.audit.read;

import io.headgate.redis.audit.AuditEntry;
import io.headgate.redis.audit.RedisAuditLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A search in the audit log. It reads small pages, between which Redis decides requests, until it has found enough: at most the whole log,
 * which is bounded.
 *
 * @param operator the name of the operator; empty for any
 * @param action the name of the action; empty for any
 * @param target the beginning of the target; empty for any
 * @param since the earliest time; empty for any
 */
record AuditSearch(
        Optional<String> operator, Optional<String> action, Optional<String> target, Optional<Instant> since) {

    /** The most records of a page. */
    static final int PAGE = 100;

    /** Reads records after an id, or before it; as the methods of {@link RedisAuditLog}. */
    interface Pages {
        List<AuditEntry> read(Optional<String> id, int max);
    }

    /** The id before the first record. */
    static final String START = "0-0";

    /**
     * Records of a search.
     *
     * @param entries the records, oldest first
     * @param next the id after which a search for later records continues
     * @param previous the id before which a search for earlier records continues; empty if there are none
     */
    record Found(List<AuditEntry> entries, String next, Optional<String> previous) {}

    private boolean matches(AuditEntry entry) {
        return operator.filter(name -> !name.equals(entry.record().operator())).isEmpty()
                && action.filter(name -> !name.equals(entry.record().action())).isEmpty()
                && target.filter(start -> !entry.record().target().startsWith(start))
                        .isEmpty()
                && !isTooEarly(entry);
    }

    private boolean isTooEarly(AuditEntry entry) {
        return since.filter(entry.time()::isBefore).isPresent();
    }

    /** The size of a page: without a filter, no more than needed. */
    private int page(int limit) {
        boolean filters = operator.isPresent() || action.isPresent() || target.isPresent();
        return filters ? PAGE : Math.min(PAGE, limit);
    }

    /**
     * Finds the last records, or the last ones before an id.
     *
     * @param log reads records before an id
     */
    Found last(Pages log, Optional<String> before, int limit) {
        int size = page(limit + 1);
        List<AuditEntry> found = new ArrayList<>();
        Optional<String> end = before;
        String next = START;
        boolean isFirst = true;
        while (true) {
            List<AuditEntry> page = log.read(end, size);
            if (isFirst && !page.isEmpty()) {
                next = page.get(page.size() - 1).id();
            }
            isFirst = false;
            for (int i = page.size() - 1; i >= 0; i--) {
                AuditEntry entry = page.get(i);
                if (isTooEarly(entry)) {
                    return found(found, next, Optional.empty());
                }
                if (matches(entry)) {
                    if (found.size() == limit) {
                        return found(
                                found, next, Optional.of(found.get(limit - 1).id()));
                    }
                    found.add(entry);
                }
            }
            if (page.size() < size) {
                return found(found, next, Optional.empty());
            }
            end = Optional.of(page.get(0).id());
        }
    }

    private static Found found(List<AuditEntry> newestFirst, String next, Optional<String> previous) {
        Collections.reverse(newestFirst);
        return new Found(newestFirst, next, previous);
    }

    /**
     * Finds the first records after an id.
     *
     * @param log reads records after an id
     */
    Found after(Pages log, String id, int limit) {
        int size = page(limit);
        List<AuditEntry> found = new ArrayList<>();
        String next = id;
        while (true) {
            List<AuditEntry> page = log.read(Optional.of(next), size);
            for (AuditEntry entry : page) {
                if (matches(entry)) {
                    found.add(entry);
                }
                next = entry.id();
                if (found.size() == limit) {
                    return new Found(found, next, Optional.empty());
                }
            }
            if (page.size() < size) {
                return new Found(found, next, Optional.empty());
            }
        }
    }
}
