package io.headgate.server.policies;

import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.http.LimitDescriptions;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.Version;
import io.headgate.server.limits.DelayWarning;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code headgate policy check}: reports whether a server would accept policies, and what they admit. */
@Command(
        name = "check",
        description = "Checks policies as a server does, and prints what each rule admits.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Exit codes: 0 valid, 2 invalid."})
final class PolicyCheckCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FILE", description = "A file with policies, or a directory with such files.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path file;

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        PolicyDocument document = PolicyArguments.document(file);
        Policies policies = PolicyArguments.policies(document);
        Map<String, String> rules = rules(policies);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("version", document.version());
        json.put("rules", rules);
        List<String> lines = new ArrayList<>();
        lines.add("valid; version " + document.version());
        rules.forEach((rule, admits) -> lines.add(rule + ": " + admits));
        List<String> warnings = policies.list().stream()
                .flatMap(policy -> DelayWarning.of(policy).stream())
                .toList();
        json.put("warnings", warnings);
        warnings.forEach(warning -> lines.add("warning: " + warning));
        output.print(json, lines);
        return CommandLine.ExitCode.OK;
    }

    private static Map<String, String> rules(Policies policies) {
        Map<String, String> rules = new LinkedHashMap<>();
        for (Policy policy : policies) {
            for (Rule rule : policy.rules()) {
                rules.put(policy.name() + "." + rule.name(), LimitDescriptions.of(rule));
            }
        }
        for (InFlightPolicy policy : policies.inFlight()) {
            for (InFlightRule rule : policy.rules()) {
                rules.put(policy.name() + "." + rule.name(), LimitDescriptions.of(rule));
            }
        }
        return rules;
    }
}
