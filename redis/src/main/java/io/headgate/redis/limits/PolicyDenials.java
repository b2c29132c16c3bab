package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Micros;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What is known of denials by the rules of one version of a policy: learns from decisions, and answers requests by that. */
final class PolicyDenials {

    private final Policy policy;

    /** In the order of the rules. */
    private final List<KnownDenials> ofRules;

    /** Those that deny. */
    private final Denying[] denying;

    private final boolean timeGiven;

    /** Not where a denied request charges something. */
    private final boolean areKnown;

    /** Who asks for more is never admitted, which only the counts say. */
    private final long mostPermits;

    PolicyDenials(Policy policy, List<KnownDenials> ofRules, boolean timeGiven) {
        this.policy = policy;
        this.ofRules = ofRules;
        this.timeGiven = timeGiven;
        this.areKnown = policy.rules().stream().noneMatch(Rule::countsAttempts);
        this.mostPermits = policy.rules().stream()
                .filter(rule -> !rule.shadow())
                .mapToLong(rule -> rule.limit().permits())
                .min()
                .orElse(0);
        this.denying = IntStream.range(0, ofRules.size())
                .filter(i -> areKnown && !policy.rules().get(i).shadow())
                .mapToObj(i -> new Denying(policy.rules().get(i), ofRules.get(i)))
                .toArray(Denying[]::new);
    }

    /** A rule that denies, and what is known of that. */
    private record Denying(Rule rule, KnownDenials denials) {

        KnownDenials.@Nullable Denial known(Attributes attributes, long permits, long nowMicros) {
            // An id alone is quicker to find than to see whether there is anything to find.
            return rule.dimensions().size() == 1
                    ? denials.of(rule, attributes.idOf(rule), permits, nowMicros)
                    : denials.isEmpty() ? null : denials.of(rule, attributes.idsOf(rule), permits, nowMicros);
        }
    }

    /**
     * What is known of a request without asking: that it is denied.
     *
     * @param nowMicros the time by the clock of this process
     */
    @Nullable
    Decision known(Attributes attributes, long permits, long nowMicros) {
        if (permits > mostPermits) {
            return null;
        }
        KnownDenials.Denial longest = null;
        for (Denying one : denying) {
            if (timeGiven && one.denials().hasRunBackTo(nowMicros)) {
                continue;
            }
            KnownDenials.Denial denial = one.known(attributes, permits, nowMicros);
            if (denial != null && (longest == null || denial.untilMicros() > longest.untilMicros())) {
                longest = denial;
            }
        }
        return longest == null || longest.check().isDue(nowMicros)
                ? null
                : Decision.deniedBefore(policy, longest.decidedAtMicros(nowMicros), longest.at(nowMicros));
    }

    /** Learns what a request was answered. */
    void learn(Ask ask, Decision decision) {
        if (!areKnown) {
            return;
        }
        List<RuleDecision> said = decision.rules();
        for (int i = 0; i < ofRules.size(); i++) {
            RuleDecision one = said.get(i);
            if (one.rule().shadow()) {
                continue;
            }
            KnownDenials denials = ofRules.get(i);
            if (!one.allowed() && one.retryable()) {
                denials.add(
                        one,
                        ask.attributes().idsOf(one.rule()),
                        ask.permits(),
                        ask.askedMicros(),
                        ask.askedNanos(),
                        Micros.of(decision.decidedAt(one.rule().name())));
            } else if (!denials.isEmpty() && one.allowed()) {
                denials.admits(one.rule(), ask.attributes().idsOf(one.rule()), ask.permits());
            }
        }
    }

    /** Learns of a time that is given, as in tests. */
    void timeIs(long givenMicros) {
        ofRules.forEach(denials -> denials.timeIs(givenMicros));
    }

    /** Forgets what is known of rules that are others in another version of the policy. */
    void forgetUnlessIn(Policy other) {
        for (int i = 0; i < ofRules.size(); i++) {
            if (!other.rules().contains(policy.rules().get(i))) {
                ofRules.get(i).forgetAll();
            }
        }
    }

    /** Has something taken back by these rules: what is known of them is not relied on until that has ended, and forgotten then. */
    <T> CompletableFuture<T> whileTakingBack(
            Collection<Rule> freed, Attributes attributes, Supplier<CompletableFuture<T>> call) {
        Runnable end = loosen(freed, attributes);
        CompletableFuture<T> answer;
        try {
            answer = call.get();
        } catch (RuntimeException | Error e) {
            end.run();
            throw e;
        }
        answer.whenComplete((any, problem) -> end.run());
        return answer;
    }

    private Runnable loosen(Collection<Rule> freed, Attributes attributes) {
        List<Runnable> ends = new ArrayList<>();
        for (int i = 0; i < ofRules.size(); i++) {
            Rule rule = policy.rules().get(i);
            if (areKnown && freed.contains(rule)) {
                KnownDenials denials = ofRules.get(i);
                List<String> ids = attributes.idsOf(rule);
                denials.loosen(ids);
                ends.add(() -> denials.loosened(ids, System.nanoTime()));
            }
        }
        return () -> ends.forEach(Runnable::run);
    }
}
