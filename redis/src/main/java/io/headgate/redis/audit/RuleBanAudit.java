package io.headgate.redis.audit;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Records each ban that begins by a rule, in the process whose request began it. The decision of that request reports that the rule has been
 * banning for no time. Requests that were decided together all report so, therefore a ban of the same id within a second is not recorded
 * again: a ban lasts at least as long.
 */
public final class RuleBanAudit implements LimitListener {

    private static final int MAX_RECENT = 10_000;
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AuditBatch batch;
    private final LongSupplier nanoTime;
    private final String host = host();

    /** The bans of this second and of the one before. */
    private Set<String> recent = new HashSet<>();

    private Set<String> earlier = Set.of();
    private long sinceNanos;

    /**
     * Creates a listener.
     *
     * @param batch receives the records
     */
    public RuleBanAudit(AuditBatch batch) {
        this(batch, System::nanoTime);
    }

    RuleBanAudit(AuditBatch batch, LongSupplier nanoTime) {
        this.batch = batch;
        this.nanoTime = nanoTime;
        this.sinceNanos = nanoTime.getAsLong();
    }

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        decided(policy, attributes, decision);
    }

    /** A ban begins in Redis, even if a fallback decided the request meanwhile. */
    @Override
    public void onLateDecision(Policy policy, Attributes attributes, long permits, Decision decision) {
        decided(policy, attributes, decision);
    }

    private void decided(Policy policy, Attributes attributes, Decision decision) {
        if (decision.allowed()) {
            return;
        }
        for (RuleDecision one : decision.rules()) {
            Optional<Duration> banned = one.bannedFor();
            if (banned.isPresent() && banned.get().isZero() && !one.rule().shadow()) {
                starts(policy.name(), one, attributes);
            }
        }
    }

    private void starts(String policy, RuleDecision ban, Attributes attributes) {
        String target = target(ban.rule(), attributes);
        if (!isNew(policy + " " + ban.rule().name() + " " + target)) {
            return;
        }
        // Names of policies and rules need no escapes in JSON.
        String rule = "{\"policy\":\"" + policy + "\",\"rule\":\"" + ban.rule().name() + "\"";
        long seconds = ban.retryAfter().map(Duration::toSeconds).orElse(0L);
        AuditRecord begin = AuditRecord.of(AuditAction.BAN_BEGIN, "rule").withFrom(host);
        batch.add(
                begin.withTarget(target).withStates("", rule + ",\"seconds\":" + seconds + "}"),
                begin.withOutcome("done", AuditBatch.OTHERS).withStates("", rule + "}"));
    }

    private synchronized boolean isNew(String ban) {
        long now = nanoTime.getAsLong();
        if (now - sinceNanos >= RECENT_NANOS || recent.size() >= MAX_RECENT) {
            earlier = now - sinceNanos < 2 * RECENT_NANOS ? recent : Set.of();
            recent = new HashSet<>();
            sinceNanos = now;
        }
        return !earlier.contains(ban) && recent.add(ban);
    }

    private static String target(Rule rule, Attributes attributes) {
        List<String> ids = attributes.idsOf(rule);
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            parts.add(rule.dimensions().get(i) + "=" + ids.get(i));
        }
        return String.join(",", parts);
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname"), StandardCharsets.UTF_8)
                    .strip();
        } catch (IOException notLinux) {
            return Optional.ofNullable(System.getenv("HOSTNAME"))
                    .or(() -> Optional.ofNullable(System.getenv("COMPUTERNAME")))
                    .orElse("");
        }
    }
}
