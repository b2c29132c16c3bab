package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The alert rules fit to the metrics, their guide and the runbooks. {@link AlertsIT} runs them. */
class AlertsTest {

    private static final Path HOME = Path.of("..");
    private static final Path RULES = HOME.resolve("ops/prometheus/headgate-alerts.yaml");
    private static final Path CASES = HOME.resolve("ops/prometheus/headgate-alerts-test.yaml");

    private static final Pattern SERIES = Pattern.compile("\\bheadgate_\\w+");
    private static final Pattern RECORDED = Pattern.compile("\\bheadgate:[\\w:]+");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(headgate[^`]*)` \\| (\\w+) \\| (\\w*) ?\\|.*\\|([^|]*)\\|$");
    private static final Pattern ROW_OF_ALERT = Pattern.compile("(?m)^\\| `(Headgate\\w+)` \\| (\\w+) \\|");

    /** A rule: the name and expression of each, the rest of alerts only. */
    private record AlertRule(String name, String expression, Map<?, ?> labels, Map<?, ?> annotations) {}

    @Test
    void each_alert_has_a_severity_a_summary_a_description_and_a_runbook() {
        assertThat(alerts()).isNotEmpty().allSatisfy(alert -> {
            assertThat(alert.labels().get("severity")).isIn("warning", "critical");
            assertThat(alert.annotations().keySet()).isEqualTo(Set.of("summary", "description", "runbook_url"));
            String[] link =
                    String.valueOf(alert.annotations().get("runbook_url")).split("#");
            assertThat(headings(HOME.resolve(link[0]))).as(alert.name()).contains(link[1]);
        });
    }

    @Test
    void each_series_of_rules_and_cases_is_a_metric() {
        Set<String> known = metrics().keySet();
        Stream.of(RULES, CASES)
                .flatMap(file -> SERIES.matcher(read(file)).results())
                .map(MatchResult::group)
                .forEach(series -> assertThat(known).contains(series));
    }

    @Test
    void the_table_of_metrics_names_the_alerts_that_use_each_metric() {
        Map<String, Set<String>> used = new LinkedHashMap<>();
        for (AlertRule alert : alerts()) {
            seriesOf(alert.expression()).forEach(series -> used.computeIfAbsent(series, name -> new TreeSet<>())
                    .add(alert.name()));
        }
        metrics().forEach((series, named) -> {
            Set<String> users = used.getOrDefault(series, Set.of());
            assertThat(named).as(series).containsAll(users);
        });
        Set<String> all = alerts().stream().map(AlertRule::name).collect(Collectors.toSet());
        assertThat(metrics().values().stream().flatMap(Set::stream)).isSubsetOf(all);
    }

    @Test
    void the_guide_has_each_alert_with_its_severity() {
        Map<String, String> guide = ROW_OF_ALERT
                .matcher(read(HOME.resolve("docs/alerts.md")))
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
        assertThat(guide)
                .isEqualTo(alerts().stream()
                        .collect(Collectors.toMap(
                                AlertRule::name,
                                alert -> String.valueOf(alert.labels().get("severity")))));
    }

    @Test
    void each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() {
        String cases = read(CASES);
        for (AlertRule alert : alerts()) {
            List<String> parts = Stream.of(cases.split("(?m)^  - interval"))
                    .filter(part -> part.contains("alertname: " + alert.name() + "\n"))
                    .toList();
            assertThat(parts).as(alert.name()).anyMatch(part -> part.contains("exp_labels"));
            // One that does not fire: series of another policy, queue or process, or a case of their own.
            boolean another = parts.stream().anyMatch(part -> part.contains("exp_alerts: []"));
            boolean beside = parts.stream()
                    .anyMatch(part -> Stream.of("calm", "busy", "b:8080").anyMatch(part::contains));
            assertThat(another || beside).as(alert.name()).isTrue();
        }
    }

    private static Set<String> seriesOf(String expression) {
        Set<String> series = new HashSet<>();
        SERIES.matcher(expression).results().map(MatchResult::group).forEach(series::add);
        RECORDED.matcher(expression)
                .results()
                .map(MatchResult::group)
                .map(name -> rules().stream()
                        .filter(rule -> rule.name().equals(name))
                        .findFirst()
                        .orElseThrow())
                .forEach(recorded -> series.addAll(seriesOf(recorded.expression())));
        return series;
    }

    private static List<AlertRule> alerts() {
        return rules().stream().filter(rule -> !rule.annotations().isEmpty()).toList();
    }

    private static List<AlertRule> rules() {
        Map<?, ?> file = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(read(RULES));
        return list(file, "groups").stream()
                .flatMap(group -> list((Map<?, ?>) group, "rules").stream())
                .map(rule -> (Map<?, ?>) rule)
                .map(rule -> new AlertRule(
                        String.valueOf(rule.containsKey("alert") ? rule.get("alert") : rule.get("record")),
                        String.valueOf(rule.get("expr")),
                        rule.containsKey("labels") ? (Map<?, ?>) rule.get("labels") : Map.of(),
                        rule.containsKey("annotations") ? (Map<?, ?>) rule.get("annotations") : Map.of()))
                .toList();
    }

    private static List<?> list(Map<?, ?> of, String member) {
        return (List<?>) Objects.requireNonNull(of.get(member), member);
    }

    /** The alerts of each metric, by its name in Prometheus. */
    private static Map<String, Set<String>> metrics() {
        Map<String, Set<String>> metrics = new LinkedHashMap<>();
        ROW.matcher(read(HOME.resolve("docs/metrics.md"))).results().forEach(row -> {
            Set<String> alerts = Pattern.compile("`(\\w+)`")
                    .matcher(row.group(4))
                    .results()
                    .map(found -> found.group(1))
                    .collect(Collectors.toSet());
            String unit = row.group(3).isEmpty() ? "" : "_" + row.group(3);
            String name = row.group(1).replace('.', '_') + unit;
            switch (row.group(2)) {
                case "counter" -> metrics.put(name + "_total", alerts);
                case "timer" ->
                    Stream.of("_bucket", "_count", "_sum", "_max").forEach(part -> metrics.put(name + part, alerts));
                default -> metrics.put(name, alerts);
            }
        });
        return metrics;
    }

    /** The names that GitHub gives to headings. */
    private static List<String> headings(Path guide) {
        return Pattern.compile("(?m)^#+ (.*)$")
                .matcher(read(guide))
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").replace(' ', '-'))
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
