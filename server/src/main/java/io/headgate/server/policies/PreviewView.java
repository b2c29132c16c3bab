package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyPreview.RuleCounts;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the shadow version of a store would have denied, over all processes.
 *
 * @param shadow the shadow version; empty if there is none
 * @param current the current version, beside which it is evaluated
 * @param evaluating the previews of the processes that evaluate it
 * @param others why each other process does not evaluate it, by its name
 * @param notEvaluated why changes of some policies are not evaluated, by their names
 */
record PreviewView(
        Optional<PolicyVersion> shadow,
        Optional<String> current,
        List<PolicyPreview> evaluating,
        Map<String, String> others,
        Map<String, String> notEvaluated) {

    private static final int MAX_NAMED = 10;

    /** Reads a store. The versions after the processes, so that no version is compared with reports from before it was written. */
    static PreviewView read(PolicyStore store) {
        List<PolicyInstance> instances = store.previews();
        Optional<PolicyVersion> shadow = store.shadowVersion();
        Optional<String> current =
                store.history(1).stream().map(PolicyVersion::version).findFirst();
        if (shadow.isEmpty()) {
            return new PreviewView(shadow, current, List.of(), Map.of(), Map.of());
        }
        List<PolicyPreview> evaluating = new ArrayList<>();
        Map<String, String> others = new LinkedHashMap<>();
        for (PolicyInstance instance : instances) {
            problem(instance, shadow.get().version(), current)
                    .ifPresentOrElse(reason -> others.put(instance.name(), reason), () -> instance.preview()
                            .ifPresent(evaluating::add));
        }
        return new PreviewView(shadow, current, evaluating, others, notEvaluated(store));
    }

    /** Why a process does not compare the shadow version with the current one; empty if it does. */
    private static Optional<String> problem(PolicyInstance instance, String shadow, Optional<String> current) {
        Optional<PolicyPreview> preview = instance.preview();
        Optional<String> reported = preview.flatMap(PolicyPreview::problem);
        if (reported.isPresent()) {
            return reported;
        }
        if (preview.filter(found -> found.version().equals(shadow)).isEmpty()) {
            return Optional.of("does not evaluate it, or not yet");
        }
        return preview.map(PolicyPreview::comparedWith)
                .filter(version -> !current.equals(Optional.of(version)))
                .map(version -> "compares it with version " + version);
    }

    private static Map<String, String> notEvaluated(PolicyStore store) {
        try {
            Policies inForce = store.read().policies();
            Optional<Policies> next = store.shadow().map(PolicyDocument::policies);
            return next.map(policies -> notEvaluated(inForce, policies)).orElse(Map.of());
        } catch (ConfigException e) {
            return Map.of(); // the processes report the problems
        }
    }

    private static Map<String, String> notEvaluated(Policies inForce, Policies next) {
        Map<String, String> reasons = new LinkedHashMap<>();
        next.inFlight().stream()
                .filter(policy -> !inForce.inFlight().contains(policy))
                .forEach(policy -> reasons.put(policy.name(), "in-flight limits are not evaluated"));
        next.names().stream()
                .filter(name -> inForce.find(name).isEmpty())
                .forEach(name -> reasons.put(name, "it is new, so that it has no requests"));
        Stream.concat(inForce.names().stream(), inForce.inFlight().stream().map(policy -> policy.name()))
                .filter(name ->
                        next.find(name).isEmpty() && next.findInFlight(name).isEmpty())
                .forEach(name -> reasons.put(name, "it is removed, so that its requests would fail"));
        return reasons;
    }

    /** Returns a version with its author and reason, in one line. */
    static String described(PolicyVersion version) {
        return version.version() + ", written by " + version.by() + ", " + Instants.of(version.writtenAt()) + ": "
                + version.reason();
    }

    private Optional<Instant> since() {
        return evaluating.stream().map(PolicyPreview::since).min(Instant::compareTo);
    }

    /** When the last process has started; its counts are those since then. */
    private Optional<Instant> lastSince() {
        return evaluating.stream().map(PolicyPreview::since).max(Instant::compareTo);
    }

    private Stream<PolicyCounts> counts() {
        return evaluating.stream().flatMap(preview -> preview.policies().stream());
    }

    /** From when on the counts of all policies and processes are settled. */
    private Optional<Instant> completeFrom() {
        return counts().map(PolicyCounts::settledFrom).max(Instant::compareTo);
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        current.ifPresent(version -> members.put("version", version));
        shadow.ifPresent(version -> {
            members.put("shadow", PolicyJson.of(version));
            members.put("evaluatedBy", evaluating.size());
            members.put(
                    "others",
                    others.entrySet().stream()
                            .map(other -> Map.of("name", other.getKey(), "reason", other.getValue()))
                            .toList());
            since().ifPresent(from -> members.put("since", Instants.of(from)));
            lastSince().ifPresent(from -> members.put("lastSince", Instants.of(from)));
            completeFrom().ifPresent(from -> members.put("completeFrom", Instants.of(from)));
            members.put(
                    "policies",
                    PolicyPreview.total(evaluating).stream()
                            .map(PreviewView::json)
                            .toList());
            members.put(
                    "notEvaluated",
                    notEvaluated.entrySet().stream()
                            .map(policy -> Map.of("policy", policy.getKey(), "reason", policy.getValue()))
                            .toList());
        });
        return members;
    }

    private static Map<String, Object> json(PolicyCounts policy) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", policy.policy());
        members.put("requests", policy.requests());
        put(members, policy.outcomes(), policy.incomplete());
        members.put("skipped", policy.skipped());
        members.put("failed", policy.failed());
        members.put("rules", policy.rules().stream().map(PreviewView::json).toList());
        members.put("settled", policy.isSettled());
        return members;
    }

    private static Map<String, Object> json(RuleCounts rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.rule());
        put(members, rule.outcomes(), rule.incomplete());
        return members;
    }

    private static void put(Map<String, Object> members, Outcomes outcomes, long incomplete) {
        members.put("denied", outcomes.denied());
        members.put("wouldBeDenied", outcomes.wouldBeDenied());
        members.put("newlyDenied", outcomes.newlyDenied());
        members.put("newlyAllowed", outcomes.newlyAllowed());
        members.put("incomplete", incomplete);
    }

    List<String> lines() {
        if (shadow.isEmpty()) {
            return List.of("there is no shadow version; write one with headgate policy apply FILE --shadow");
        }
        List<String> lines = new ArrayList<>();
        lines.add("shadow version " + described(shadow.get()));
        lines.add("compared with version " + current.orElse("none") + " by " + evaluating.size() + " of "
                + (evaluating.size() + others.size()) + " processes"
                + since().map(from -> ", since " + Instants.of(from)).orElse("")
                + lastSince()
                        .filter(last -> !last.equals(since().orElse(last)))
                        .map(last -> ", the last of them since " + Instants.of(last))
                        .orElse(""));
        others.forEach((name, reason) -> lines.add("not by " + name + ": " + reason));
        List<PolicyCounts> policies = PolicyPreview.total(evaluating);
        addUnsettled(policies, lines);
        if (!policies.isEmpty()) {
            lines.addAll(table(policies));
        }
        policies.forEach(policy -> addFurther(policy, lines));
        addUnreported(policies, lines);
        notEvaluated.forEach((name, reason) -> lines.add(name + ": " + reason));
        return lines;
    }

    private void addUnsettled(List<PolicyCounts> policies, List<String> lines) {
        List<String> settling = policies.stream()
                .filter(policy -> !policy.isSettled())
                .map(PolicyCounts::policy)
                .toList();
        Optional<Instant> until = counts().filter(policy -> !policy.isSettled())
                .map(PolicyCounts::settledFrom)
                .max(Instant::compareTo);
        if (!settling.isEmpty()) {
            lines.add("not settled: " + named(settling) + "; the counts of the shadow version started from zero, "
                    + "so that it denies too few requests until "
                    + until.map(Instants::of).orElse("later") + ". Then the numbers start from zero");
        }
        long excluded = counts().filter(policy -> !policy.isSettled() && !settling.contains(policy.policy()))
                .count();
        if (excluded > 0) {
            lines.add("without processes that started later, whose numbers are not settled until "
                    + until.map(Instants::of).orElse("later"));
        }
    }

    private static String named(List<String> policies) {
        int further = policies.size() - MAX_NAMED;
        return String.join(", ", policies.subList(0, Math.min(MAX_NAMED, policies.size())))
                + (further > 0 ? " and " + further + " more" : "");
    }

    /** Each process reports the policies with the most requests there, so that the requests of a policy may be in both rows. */
    private static void addUnreported(List<PolicyCounts> policies, List<String> lines) {
        if (policies.stream().anyMatch(policy -> policy.policy().equals(PolicyPreview.OTHERS))) {
            lines.add(
                    PolicyPreview.OTHERS + ": requests to policies that are not among the " + PolicyPreview.MAX_POLICIES
                            + " with the most requests of their process; other processes may report the same policies by name");
        }
        if (policies.stream()
                .anyMatch(policy -> policy.rules().isEmpty() && !policy.policy().equals(PolicyPreview.OTHERS))) {
            lines.add("policies without rules: processes report up to " + PolicyPreview.MAX_RULES
                    + " rules, those of the policies with the most requests");
        }
    }

    private static List<String> table(List<PolicyCounts> policies) {
        Table table = new Table()
                .words("policy")
                .numbers("requests")
                .numbers("denied")
                .numbers("would be denied")
                .numbers("newly denied")
                .numbers("newly allowed");
        for (PolicyCounts policy : policies) {
            row(table, policy.policy(), String.valueOf(policy.requests()), policy.outcomes(), policy.requests());
            policy.rules().forEach(rule -> row(table, "  " + rule.rule(), "", rule.outcomes(), policy.requests()));
        }
        return table.lines();
    }

    private static void row(Table table, String name, String requests, Outcomes outcomes, long of) {
        table.row(
                name,
                requests,
                share(outcomes.denied(), of),
                share(outcomes.wouldBeDenied(), of),
                share(outcomes.newlyDenied(), of),
                share(outcomes.newlyAllowed(), of));
    }

    private static String share(long count, long of) {
        return count == 0 ? "0" : String.format(Locale.ROOT, "%d (%.1f%%)", count, 100.0 * count / Math.max(1, of));
    }

    private static void addFurther(PolicyCounts policy, List<String> lines) {
        policy.rules().stream()
                .filter(rule -> rule.incomplete() > 0)
                .forEach(rule -> lines.add(policy.policy() + ": " + rule.incomplete()
                        + " further requests lack an attribute by which rule " + rule.rule()
                        + " counts, and would fail"));
        if (policy.skipped() + policy.failed() > 0) {
            lines.add(policy.policy() + ": " + policy.skipped() + " further requests were skipped, and "
                    + policy.failed() + " failed");
        }
    }
}
