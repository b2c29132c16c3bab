package io.headgate.redis.queues.internal.audit;

import io.headgate.queues.inspect.AuditFinding;
import io.headgate.queues.inspect.AuditFinding.Kind;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.queues.internal.job.Levels;
import io.headgate.redis.queues.internal.job.StoredKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The reply of one step of an audit, in the format of audit_common in audit.lua.
 *
 * @param cursor where the next step continues; empty at the end
 * @param findings the inconsistencies that the step has found
 * @param unchecked how many checks could not be made
 * @param tenants whether the step did nothing because the queue has tenants, but its script is for queues without tenants
 * @param longest the length of the longest record that the step has seen in a sorted set
 * @param seen the rest of the reply: the jobs that the step has seen
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record AuditStep(
        Optional<byte[]> cursor,
        List<AuditFinding> findings,
        int unchecked,
        boolean tenants,
        long longest,
        byte[] seen) {

    /** Kinds of findings that are not inconsistencies: the check was not possible, or the queue has tenants. */
    private static final int UNCHECKED = 0;

    private static final int TENANTS = 10;

    private static final List<Kind> KINDS = List.of(
            Kind.HEADER,
            Kind.KEY,
            Kind.PLACE,
            Kind.CLAIM,
            Kind.TWICE,
            Kind.UNREADABLE,
            Kind.ORDER,
            Kind.RUN,
            Kind.TURN);

    static AuditStep of(byte[] reply, boolean repaired) {
        int cursorBytes = (int) Packed.number(reply, 0, 2);
        int at = 2 + cursorBytes + 4;
        int end = at + (int) Packed.number(reply, 2 + cursorBytes, 4);
        List<AuditFinding> findings = new ArrayList<>();
        int unchecked = 0;
        boolean tenants = false;
        while (at < end) {
            int length = (int) Packed.number(reply, at + 1, 2);
            byte[] what = Arrays.copyOfRange(reply, at + 3, at + 3 + length);
            if (reply[at] == UNCHECKED) {
                unchecked++;
            } else if (reply[at] == TENANTS) {
                tenants = true;
            } else {
                Kind kind = KINDS.get(reply[at] - 1);
                findings.add(new AuditFinding(kind, about(kind, what), repaired));
            }
            at += 3 + length;
        }
        return new AuditStep(
                cursorBytes == 0 ? Optional.empty() : Optional.of(Arrays.copyOfRange(reply, 2, 2 + cursorBytes)),
                findings,
                unchecked,
                tenants,
                Packed.number(reply, end, 3),
                Arrays.copyOfRange(reply, end + 3, reply.length));
    }

    private static String about(Kind kind, byte[] what) {
        return switch (kind) {
            case KEY -> "key " + StoredKey.display(what);
            case TURN -> "tenant " + Utf8.text(what, 0, what.length);
            case PLACE, TWICE, ORDER -> what.length < 6 ? hex(what) : "job number " + Packed.number(what, 0, 6);
            case RUN ->
                what.length == 1 ? "priority " + Levels.priority(what[0]) + ": heads and records" : "run " + hex(what);
            case CLAIM -> "claim " + hex(what);
            default -> hex(what);
        };
    }

    private static String hex(byte[] what) {
        return HexFormat.of().formatHex(what, 0, Math.min(32, what.length));
    }
}
