package io.headgate.server.doctor;

import io.headgate.server.cli.Finding;
import io.headgate.server.cli.Finding.Level;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.Version;
import io.headgate.server.redis.ConnectionDiagnosis;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.redis.RedisOptions;
import io.headgate.server.text.Words;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate doctor}: checks a Redis for Headgate, and prints the problems and the advice. */
@Command(
        name = "doctor",
        description = "Checks a Redis for Headgate, and prints what is wrong and what to do.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "It changes nothing, except one key of its own that it deletes.",
            "Exit codes: 0 no problem, 1 a problem, 2 wrong command line."
        })
public final class DoctorCommand implements Callable<Integer> {

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        RedisURI uri = redis.uri();
        String keyPrefix = redis.keyPrefix();
        String address = RedisInspector.address(uri);
        List<Finding> findings = findings(uri, address, keyPrefix);
        long problems = count(findings, Level.PROBLEM);
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("redis", address);
        report.put("problems", problems);
        report.put("findings", findings.stream().map(Finding::json).toList());
        List<String> lines = new ArrayList<>();
        findings.forEach(finding -> lines.addAll(lines(finding)));
        lines.add("");
        lines.add(summary(findings));
        output.print(report, lines);
        return problems == 0 ? 0 : 1;
    }

    private List<Finding> findings(RedisURI uri, String address, String keyPrefix) {
        List<Finding> findings = new ArrayList<>();
        try (RedisInspector examined = redis.inspect()) {
            Optional<Finding> refusal =
                    examined.call("PING").error().flatMap(reply -> ConnectionDiagnosis.byReply(address, reply));
            if (refusal.isPresent()) {
                return List.of(refusal.get());
            }
            findings.add(Finding.ok("reachable", address + " replies"));
            findings.addAll(DoctorServer.check(examined, redis.isCluster()));
            findings.addAll(DoctorMemory.check(examined));
            findings.add(DoctorPersistence.check(examined));
            findings.addAll(DoctorAccess.check(examined, keyPrefix));
            findings.addAll(DoctorSpeed.check(examined, keyPrefix));
            findings.add(DoctorKeys.check(examined, keyPrefix));
            findings.add(DoctorForeign.check(examined, keyPrefix));
        } catch (RedisException | IllegalStateException e) {
            findings.add(ConnectionDiagnosis.because(uri, address, e));
        }
        return findings;
    }

    private static List<String> lines(Finding finding) {
        String found =
                String.format(Locale.ROOT, "%-8s %-13s %s", finding.level().text(), finding.check(), finding.found());
        return Stream.concat(Stream.of(found), finding.advice().stream().map(advice -> " ".repeat(23) + "-> " + advice))
                .toList();
    }

    /** The number of findings of each severity. */
    private static String summary(List<Finding> findings) {
        return counted(findings, Level.PROBLEM) + ", " + counted(findings, Level.WARNING) + ", "
                + Words.count(count(findings, Level.NOTE), "note") + ", " + count(findings, Level.OK) + " ok";
    }

    private static String counted(List<Finding> findings, Level level) {
        String which = findings.stream()
                .filter(finding -> finding.level() == level)
                .map(Finding::check)
                .collect(Collectors.joining(", "));
        return Words.count(count(findings, level), level.text()) + (which.isEmpty() ? "" : " (" + which + ")");
    }

    private static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }
}
