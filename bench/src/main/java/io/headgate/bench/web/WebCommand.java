package io.headgate.bench.web;

import io.headgate.bench.run.Choice;
import io.headgate.bench.run.Comparison;
import io.headgate.bench.run.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate bench web}: what a limit adds to a request of a Spring application, beside its peers. */
@Command(
        name = "web",
        description = {
            "Measures what a limit adds to a request of a small controller of Spring MVC, and of a route of Spring Cloud"
                    + " Gateway, beside the peers in the same run, and reports which target figures were met.",
            "It takes about ten minutes. Other work on this machine affects the figures, the ratios least."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
public final class WebCommand implements Callable<Integer> {

    /** The folder with the executable jars of the applications; the launcher sets this property. */
    static final String APPLICATIONS_PROPERTY = "headgate.applications";

    @Mixin
    private final Comparison comparison = new Comparison();

    @Option(
            names = "--only",
            paramLabel = "SCENARIO",
            split = ",",
            description = "Measure only these: controller, gateway.")
    private List<String> only = List.of();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        List<WebSubjects> chosen = comparison.chosen(() -> Choice.of(WebSubjects.values(), WebSubjects::label, only));
        Path applications = applications();
        return comparison.run(
                arena -> chosen.stream()
                        .<Scenario>map(subjects -> new WebScenario(subjects, applications, arena))
                        .toList(),
                WebFigures.overviews(),
                WebFigures.all(),
                List.of());
    }

    private Path applications() {
        return Optional.ofNullable(System.getProperty(APPLICATIONS_PROPERTY))
                .map(Path::of)
                .filter(Files::isDirectory)
                .orElseThrow(
                        () -> new ParameterException(
                                spec.commandLine(),
                                "start the benchmark with ./headgate bench web, which builds the applications that it measures"));
    }
}
