package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.redis.limits.Step.Amount;
import io.headgate.testkit.model.LimitModel;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Turns the steps of a history into calls, each with the result that the model expects. */
public final class ExpectedCalls {

    /** No history goes beyond the year 2100 or before 2000. */
    private static final long LATEST_MICROS = Duration.ofDays(365 * 130L).toMillis() * 1000;

    private static final long EARLIEST_MICROS = Duration.ofDays(365 * 30L).toMillis() * 1000;

    /** How long engines keep a request id by default. */
    private static final long HORIZON_MICROS = Duration.ofMinutes(1).toMillis() * 1000;

    private final History history;
    private final boolean byOverrides;
    /** The policy with the limits of each variant, which steps name by its index. */
    private final List<Policy> variants;

    private final LimitModel model = new LimitModel();
    private final List<Call> calls = new ArrayList<>();
    private final Map<RequestId, Call.AcquireWithId> decided = new HashMap<>();
    private final List<Call.Acquire> refundable = new ArrayList<>();
    private final List<Call.Acquire> refunded = new ArrayList<>();
    private long nowMicros;
    private long latestMicros;
    private Optional<Decision> last = Optional.empty();

    private ExpectedCalls(History history, String policyName, boolean byOverrides) {
        this.history = history;
        this.byOverrides = byOverrides;
        this.variants = IntStream.range(0, History.VARIANTS)
                .mapToObj(variant -> history.policy(policyName, variant))
                .toList();
        this.nowMicros = history.startMicros();
    }

    /** All calls of the history, followed by resets of all keys. */
    public static List<Call> calls(History history, String policyName) {
        return calls(history, policyName, false);
    }

    /**
     * Like {@link #calls(History, String)}, but the variants are limits of overrides instead of versions of the policy: a decision
     * is refunded by the limits of the overrides that decided it.
     */
    static List<Call> callsByOverrides(History history, String policyName) {
        return calls(history, policyName, true);
    }

    private static List<Call> calls(History history, String policyName, boolean byOverrides) {
        ExpectedCalls expected = new ExpectedCalls(history, policyName, byOverrides);
        history.steps().forEach(expected::addCallsOf);
        for (int rule = 0; rule < history.rules().size(); rule++) {
            for (int who = 0; who < History.PEOPLE; who++) {
                expected.reset(new Step.Reset(rule, who));
            }
        }
        return expected.calls;
    }

    /** The number of resets at the end of the calls. */
    static int resets(History history) {
        return history.rules().size() * History.PEOPLE;
    }

    private void addCallsOf(Step step) {
        if (step instanceof Step.Acquire acquire) {
            acquire(acquire);
        } else if (step instanceof Step.AcquireWithId acquireWithId) {
            acquireWithId(acquireWithId);
        } else if (step instanceof Step.Peek peek) {
            peek(peek);
        } else if (step instanceof Step.Reset reset) {
            reset(reset);
        } else if (step instanceof Step.Refund refund) {
            refund(refund);
        } else if (step instanceof Step.RefundAgain again) {
            refundAgain(again);
        } else if (step instanceof Step.RefundOldest oldest) {
            refundOldest(oldest);
        } else if (step instanceof Step.Pass pass) {
            goTo(nowMicros + history.micros(pass.span()));
        } else if (step instanceof Step.ToRetry to) {
            lastRuleDecision(to.rule())
                    .flatMap(RuleDecision::retryAfter)
                    .ifPresent(wait -> goTo(wait, to.offsetMicros()));
        } else if (step instanceof Step.ToReset to) {
            lastRuleDecision(to.rule()).ifPresent(rule -> goTo(rule.resetAfter(), to.offsetMicros()));
        }
    }

    private void acquire(Step.Acquire step) {
        Policy policy = variants.get(step.variant());
        Attributes attributes = History.attributes(step.who());
        for (int i = 0; i < step.times(); i++) {
            if (i > 0) {
                goTo(nowMicros + history.micros(step.gap()));
            }
            long permits = permits(step.amount(), policy, attributes);
            Decision decision = model.tryAcquire(policy, attributes, permits, nowMicros);
            Call.Acquire call = new Call.Acquire(nowMicros, policy, attributes, permits, decision);
            calls.add(call);
            addRefundable(call);
            last = Optional.of(decision);
        }
    }

    private void acquireWithId(Step.AcquireWithId step) {
        Policy policy = variants.get(step.variant());
        Attributes attributes = History.attributes(step.who());
        RequestId id = RequestId.of("request " + step.id());
        Call.AcquireWithId before = decided.get(id);
        if (before != null && nowMicros < before.atMicros() + HORIZON_MICROS) {
            if (latestMicros >= before.atMicros() + HORIZON_MICROS) {
                // The clock was set back from beyond the horizon: an engine may or may not still have the id.
                return;
            }
            boolean hasSameRules = before.policy().rules().equals(policy.rules());
            // Mostly the same request as before; otherwise most ids would be reused for other requests.
            boolean isRetry = step.who() == 0;
            Attributes who = isRetry ? before.attributes() : attributes;
            long permits = isRetry ? before.permits() : permits(step.amount(), policy, attributes);
            Object expected = !hasSameRules
                    ? "LimiterException"
                    : permits == before.permits() && ids(policy, who).equals(ids(policy, before.attributes()))
                            ? before.expected()
                            : "RequestIdReusedException";
            calls.add(new Call.AcquireWithId(nowMicros, policy, who, permits, id, expected));
            return;
        }
        long permits = permits(step.amount(), policy, attributes);
        Decision decision = model.tryAcquire(policy, attributes, permits, nowMicros);
        Call.AcquireWithId call = new Call.AcquireWithId(nowMicros, policy, attributes, permits, id, decision);
        calls.add(call);
        addRefundable(new Call.Acquire(nowMicros, policy, attributes, permits, decision));
        last = Optional.of(decision);
        if (decision.allowed() || policy.rules().stream().anyMatch(Rule::countsAttempts)) {
            decided.put(id, call);
        }
    }

    private static List<List<String>> ids(Policy policy, Attributes attributes) {
        return policy.rules().stream().map(attributes::idsOf).toList();
    }

    private void peek(Step.Peek step) {
        Policy policy = variants.get(step.variant());
        Attributes attributes = History.attributes(step.who());
        long permits = permits(step.amount(), policy, attributes);
        Decision decision = model.peek(policy, attributes, permits, nowMicros);
        calls.add(new Call.Peek(nowMicros, policy, attributes, permits, decision));
        last = Optional.of(decision);
    }

    /**
     * Records a charge to be refunded later. Charges of the same microsecond are indistinguishable, so none of them is refunded.
     * While the clock is behind its latest time, neither new charges nor recorded ones with later times are refunded, because the
     * key may keep the later time.
     */
    private void addRefundable(Call.Acquire call) {
        if (nowMicros > latestMicros) {
            latestMicros = nowMicros;
            refundable.add(call);
        } else {
            refundable.removeIf(other -> other.atMicros() >= nowMicros);
        }
    }

    private void refund(Step.Refund step) {
        if (refundable.isEmpty()) {
            return;
        }
        Call.Acquire charge = refundable.remove(Math.max(0, refundable.size() - 1 - step.ago()));
        refunded.add(charge);
        refund(charge, variants.get(step.variant()));
    }

    /** Repeats a refund: it refunds nothing, unless nothing could be refunded before. */
    private void refundAgain(Step.RefundAgain step) {
        if (!refunded.isEmpty()) {
            refund(refunded.get(Math.max(0, refunded.size() - 1 - step.ago())), variants.get(step.variant()));
        }
    }

    private void refund(Call.Acquire charge, Policy policy) {
        Decision decision = (Decision) charge.expected();
        Policy refunding = byOverrides ? decidedBy(decision, policy) : policy;
        long back = model.refund(refunding, charge.attributes(), decision, nowMicros);
        calls.add(new Call.Refund(nowMicros, policy, charge.attributes(), decision, back));
    }

    /**
     * The policy that refunds a decision: rules that an override decided have the limit of that override, and other rules the limit of
     * {@code policy}.
     */
    private Policy decidedBy(Decision decision, Policy policy) {
        Policy.Builder refunding = Policy.named(policy.name());
        for (int i = 0; i < policy.rules().size(); i++) {
            Rule decided = decision.rules().get(i).rule();
            boolean isOverridden = !decided.equals(variants.get(0).rules().get(i));
            refunding.rule(isOverridden ? decided : policy.rules().get(i));
        }
        return refunding.build();
    }

    private void refundOldest(Step.RefundOldest step) {
        Policy policy = variants.get(step.variant());
        Attributes attributes = History.attributes(step.who());
        long permits = permits(step.amount(), policy, attributes);
        long back = model.refund(policy, attributes, permits, nowMicros);
        calls.add(new Call.RefundOldest(nowMicros, policy, attributes, permits, back));
    }

    private void reset(Step.Reset step) {
        Policy policy = variants.get(0);
        String rule = history.ruleName(step.rule());
        Attributes attributes = History.attributes(step.who());
        boolean stored = model.reset(policy, rule, attributes);
        calls.add(new Call.Reset(nowMicros, policy, rule, attributes, stored));
    }

    private long permits(Amount amount, Policy policy, Attributes attributes) {
        long limit = policy.rules().stream()
                .mapToLong(rule -> rule.limit().permits())
                .min()
                .orElseThrow();
        long permits;
        if (amount instanceof Amount.Exactly exactly) {
            permits = exactly.permits();
        } else if (amount instanceof Amount.PartOfLimit part) {
            permits = limit * part.sixteenths() / 16;
        } else if (amount instanceof Amount.Limit whole) {
            permits = limit + whole.offset();
        } else {
            long left = model.peek(policy, attributes, 1, nowMicros).rules().stream()
                    .mapToLong(RuleDecision::remaining)
                    .min()
                    .orElseThrow();
            permits = left + ((Amount.Left) amount).offset();
        }
        return Math.max(1, permits);
    }

    private Optional<RuleDecision> lastRuleDecision(int rule) {
        return last.map(decision -> decision.rules().get(rule % decision.rules().size()));
    }

    /** Advances to the time that the last decision stated, counted from the time of that decision. */
    private void goTo(Duration wait, int offsetMicros) {
        last.ifPresent(decision -> {
            Instant then = decision.decidedAt().plus(wait);
            goTo(ChronoUnit.MICROS.between(Instant.EPOCH, then) + offsetMicros);
        });
    }

    private void goTo(long micros) {
        if (micros >= EARLIEST_MICROS && micros <= LATEST_MICROS) {
            nowMicros = micros;
        }
    }
}
