package io.headgate.redis.audit;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a record of the audit log is about. {@link #toString} is the name in the log, such as {@code ban.add}. */
public enum AuditAction {
    /** An operator added or extended a ban or an exemption. */
    BAN_ADD,
    /** An operator lifted a ban or an exemption, or ended a ban by a rule. */
    BAN_LIFT,
    /** An operator imported bans and exemptions. */
    BAN_IMPORT,
    /** A rule banned an id. */
    BAN_BEGIN,
    /** An operator wrote a version of the policies, or a shadow version. */
    POLICY_APPLY,
    /** An operator wrote the policies of a previous version again. */
    POLICY_ROLLBACK,
    /** An operator discarded the shadow version of the policies. */
    POLICY_DISCARD,
    /** An operator paused a queue. */
    QUEUE_PAUSE,
    /** An operator resumed a queue. */
    QUEUE_RESUME,
    /** An operator deleted jobs of a queue. */
    QUEUE_PURGE,
    /** An operator returned dead letters to a queue. */
    QUEUE_REDRIVE,
    /** An operator repaired a queue. */
    QUEUE_REPAIR,
    /** An operator enqueued jobs. */
    JOB_ENQUEUE,
    /** An operator cancelled a job. */
    JOB_CANCEL,
    /** An operator made a job due now, or redrove it. */
    JOB_RETRY,
    /** An operator deleted a dead letter. */
    JOB_DISCARD,
    /** A client refunded permits. */
    LIMIT_REFUND,
    /** A call was refused: its client is not an operator, or does not have the role. */
    OPERATOR_REFUSED;

    /** The names of all actions, for errors. */
    public static final String NAMES =
            Arrays.stream(values()).map(AuditAction::toString).collect(Collectors.joining(", "));

    /** What records of an action are about. Redis keeps the same number of each kind, so that no kind displaces another. */
    public enum Kind {
        /** A change of policies, queues, or many bans or jobs. */
        CHANGE,
        /** A change of a single ban or job. A program may make many of them. */
        ITEM,
        /** What clients or programs cause at any rate. */
        EVENT
    }

    /** What records of this action are about. */
    public Kind kind() {
        return switch (this) {
            case BAN_BEGIN, JOB_ENQUEUE, LIMIT_REFUND, OPERATOR_REFUSED -> Kind.EVENT;
            case BAN_ADD, BAN_LIFT, JOB_CANCEL, JOB_RETRY, JOB_DISCARD -> Kind.ITEM;
            default -> Kind.CHANGE;
        };
    }

    /** Whether records of this action are events, which a process collects for a second. */
    public boolean isFrequent() {
        return kind() == Kind.EVENT;
    }

    /** Finds an action by its name in the log. */
    public static Optional<AuditAction> named(String name) {
        return Arrays.stream(values())
                .filter(action -> action.toString().equals(name))
                .findFirst();
    }

    /** The name in the log, such as {@code ban.add}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }
}
